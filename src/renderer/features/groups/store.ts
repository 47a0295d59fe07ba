import { create } from 'zustand';

/** Which dump the Groups screen shows; null: the live run. */
export const useGroupsStore = create<{ readonly fileId: string | null }>(() => ({ fileId: null }));
