import { create } from 'zustand';

/** The dump that every screen over dumps shows; null: the first of the list, which is the live one. */
export const useSourceStore = create<{ readonly fileId: string | null }>(() => ({ fileId: null }));

export function showSource(fileId: string | null): void {
  useSourceStore.setState({ fileId });
}
