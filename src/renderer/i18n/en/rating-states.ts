/** A rating's life in one word each; shared by every screen that shows one. */
export const ratingStates = {
  unrated: 'unrated',
  waiting: 'waiting',
  'in-batch': 'in batch',
  trained: 'trained',
  dropped: 'dropped',
};
