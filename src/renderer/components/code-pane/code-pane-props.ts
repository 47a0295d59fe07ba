export interface CodePaneProps {
  readonly text: string;
  readonly language: 'json' | 'plaintext';
  readonly label: string;
  /** said while the editor is being fetched */
  readonly loading: string;
}
