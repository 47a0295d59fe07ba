import type { runs as en } from '../en/runs';

export const runs: typeof en = {
  empty: '',
};
