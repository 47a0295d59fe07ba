export const rate = {
  conversations: 'Conversations',
};
