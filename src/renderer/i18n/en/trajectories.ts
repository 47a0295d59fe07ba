export const trajectories = {
  empty: '',
};
