import type { rate as en } from '../en/rate';

export const rate: typeof en = {
  conversations: '对话',
};
