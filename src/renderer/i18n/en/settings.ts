export const settings = {
  empty: '',
};
