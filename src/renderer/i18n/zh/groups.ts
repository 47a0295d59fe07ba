import type { groups as en } from '../en/groups';

export const groups: typeof en = {
  empty: '',
};
