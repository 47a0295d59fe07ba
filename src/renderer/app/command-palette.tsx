import { Modal, TextInput, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useLayoutEffect, useState } from 'react';
import type { Action } from '../components/actions/action';
import { useActionStore } from '../components/actions/action-store';
import { KeyHint } from '../components/actions/key-hint';
import { SearchIcon } from '../components/icons/icons';
import { useText } from '../i18n/text';
import classes from './palette.module.css';
import { useShellStore } from './shell-store';

/** Every action that can be done now, by words, with its key. */
export function CommandPalette() {
  const text = useText().shell.palette;
  const opened = useShellStore(({ dialog }) => dialog === 'palette');
  // The focus goes back at once, not after a moment as the dialog would do it, and only where nothing else has taken it:
  // the action that was chosen may have moved it.
  useLayoutEffect(() => {
    if (!opened) return;
    const before = document.activeElement;
    return () => {
      const now = document.activeElement;
      const isFree = now === null || now === document.body || now.closest('[role="dialog"]') !== null;
      if (isFree && before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [opened]);

  return (
    <Modal
      opened={opened}
      onClose={closePalette}
      returnFocus={false}
      withCloseButton={false}
      padding={0}
      size={520}
      yOffset="12vh"
      aria-label={text.title}
    >
      <PaletteList />
    </Modal>
  );
}

function closePalette(): void {
  useShellStore.setState({ dialog: null });
}

function PaletteList() {
  const text = useText().shell.palette;
  const { screen, everywhere } = useActionStore();
  const [wanted, setWanted] = useState('');
  const [active, setActive] = useState(0);
  const found = matchActions([...screen, ...everywhere], wanted);
  const current = Math.min(active, found.length - 1);

  function run(action: Action | undefined): void {
    if (action === undefined) return;
    closePalette();
    action.run();
  }

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setActive((current + step + found.length) % Math.max(found.length, 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(found[current]);
    }
  }

  return (
    <div>
      <TextInput
        data-autofocus
        onKeyDown={handleKeyDown}
        data-testid="palette"
        size="md"
        variant="unstyled"
        leftSection={<SearchIcon />}
        placeholder={text.placeholder}
        aria-label={text.title}
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[current] && `palette-${found[current].id}`}
        value={wanted}
        onChange={(event) => {
          setWanted(event.currentTarget.value);
          setActive(0);
        }}
      />
      <div className={classes.list} id="palette-list" role="listbox" aria-label={text.title}>
        {found.map((action, index) => (
          <UnstyledButton
            key={action.id}
            id={`palette-${action.id}`}
            role="option"
            aria-selected={index === current}
            tabIndex={-1}
            className={classes.option}
            onMouseMove={() => setActive(index)}
            onClick={() => run(action)}
          >
            <span>{action.label}</span>
            {action.keys?.[0] === undefined ? null : <KeyHint keyCode={action.keys[0]} />}
          </UnstyledButton>
        ))}
        {found.length === 0 ? <div className={classes.none}>{text.none}</div> : null}
      </div>
    </div>
  );
}

/** Actions whose label holds every word typed, in any order. */
export function matchActions(actions: readonly Action[], wanted: string): Action[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return actions.filter(({ label, enabled, keyOnly }) => {
    if (enabled === false || keyOnly === true) return false;
    return words.every((word) => label.toLowerCase().includes(word));
  });
}
