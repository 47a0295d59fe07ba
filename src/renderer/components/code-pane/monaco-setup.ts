// The slim set: editor, its features, JSON. Everything is bundled, so that it works offline and under the CSP.
import * as monaco from 'monaco-editor/editor';
import 'monaco-editor/features/register.all';
import 'monaco-editor/languages/features/json/register';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import JsonWorker from 'monaco-editor/languages/features/json/json.worker?worker';

self.MonacoEnvironment = {
  getWorker: (_moduleId: string, label: string) => (label === 'json' ? new JsonWorker() : new EditorWorker()),
};

/** The editor's surfaces are the studio's, in both schemes. */
export function defineThemes(): void {
  monaco.editor.defineTheme('studio-light', {
    base: 'vs',
    inherit: true,
    rules: [],
    colors: {
      'editor.background': '#ffffff',
      'editor.foreground': '#1b2026',
      'editorLineNumber.foreground': '#5c6671',
    },
  });
  monaco.editor.defineTheme('studio-dark', {
    base: 'vs-dark',
    inherit: true,
    rules: [],
    colors: {
      'editor.background': '#1b1f23',
      'editor.foreground': '#e6e9ec',
      'editorLineNumber.foreground': '#929ba5',
    },
  });
}

export { monaco };
