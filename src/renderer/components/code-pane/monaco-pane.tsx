import { useEffect, useRef } from 'react';
import { useColorScheme } from '../../theme/use-color-scheme';
import classes from './code-pane.module.css';
import type { CodePaneProps } from './code-pane-props';
import { defineThemes, monaco } from './monaco-setup';

defineThemes();

/** One editor per pane; the text changes in place, so that moving through rows does not build editors. */
export function MonacoPane({ text, language, label }: CodePaneProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor | null>(null);
  const scheme = useColorScheme();

  useEffect(() => {
    if (host.current === null) return;
    const created = monaco.editor.create(host.current, {
      value: '',
      language,
      ariaLabel: label,
      readOnly: true,
      domReadOnly: true,
      automaticLayout: true,
      minimap: { enabled: false },
      wordWrap: 'on',
      fontSize: 12,
      lineNumbersMinChars: 4,
      scrollBeyondLastLine: false,
      renderLineHighlight: 'none',
      overviewRulerLanes: 0,
      // Prompts are full of scripts and signs on purpose; the warning boxes would cover them.
      unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false },
      contextmenu: false,
    });
    editor.current = created;
    return () => {
      editor.current = null;
      created.getModel()?.dispose();
      created.dispose();
    };
  }, [language, label]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new editor (other language, other label) needs the text again
  useEffect(() => {
    editor.current?.setValue(text);
    editor.current?.setScrollTop(0);
  }, [text, language, label]);

  useEffect(() => monaco.editor.setTheme(`studio-${scheme}`), [scheme]);

  return <div ref={host} className={classes.editor} />;
}
