export const runs = {
  empty: '',
};
