export const groups = {
  empty: '',
};
