import type { trajectories as en } from '../en/trajectories';

export const trajectories: typeof en = {
  empty: '',
};
