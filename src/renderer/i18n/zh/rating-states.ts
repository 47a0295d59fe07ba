import type { ratingStates as en } from '../en/rating-states';

export const ratingStates: typeof en = {
  unrated: '未评分',
  waiting: '等待中',
  'in-batch': '已入批次',
  trained: '已训练',
  dropped: '已丢弃',
};
