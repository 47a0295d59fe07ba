/** Something a person can do on this screen, with its keys: one list feeds keyboard, palette and help. */
export interface Action {
  readonly id: string;
  readonly label: string;
  /** `j`, `?`, `Escape`, `mod+k`, `mod+Enter`; `mod` is Ctrl, or Cmd on a Mac */
  readonly keys?: readonly string[];
  readonly run: () => void;
  /** false: shown in the help, but neither key nor palette runs it now */
  readonly enabled?: boolean;
  /** true: also while a text field has the focus; only for keys with `mod`, and Escape */
  readonly whileTyping?: boolean;
  /** true: also while a dialog, a menu or a list of choices is open, which own every key otherwise */
  readonly overLayers?: boolean;
  /** true: holding the key down repeats it (moving a selection); never for what changes data */
  readonly repeats?: boolean;
  /** true: not listed in the palette (movement keys) */
  readonly keyOnly?: boolean;
}
