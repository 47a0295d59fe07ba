import { Button, SegmentedControl } from '@mantine/core';
import { PlusIcon } from '../../components/icons/icons';
import { useStatus } from '../../data/shared-queries';
import { useLocale, useText } from '../../i18n/text';
import { formatCount } from './format';
import classes from './rate-page.module.css';
import { type Columns, useRateStore } from './rate-store';

const modes = ['1', '2', '3', '4'] as const;

/** Which model answers, and how many answers a message gets. */
export function ChatHeader({ onNew }: { readonly onNew: () => void }) {
  const text = useText().rate;
  const locale = useLocale();
  const columns = useRateStore((state) => state.columns);
  const model = useStatus().data?.model;
  const size = model === undefined ? '' : formatCount(model.parameters, locale);
  const words =
    model === undefined ? '' : model.is_demo ? text.demoModel(model.name, size) : text.model(model.name, size);
  return (
    <header className={classes.chatHeader}>
      <span className={classes.modelName} data-testid="model" title={words}>
        {words}
      </span>
      <span className={classes.newInHeader}>
        <Button size="compact-xs" leftSection={<PlusIcon size={12} />} onClick={onNew}>
          {text.newConversation}
        </Button>
      </span>
      <SegmentedControl
        size="xs"
        aria-label={text.mode}
        data-testid="mode"
        value={String(columns)}
        onChange={(value) => useRateStore.setState({ columns: Number(value) as Columns })} // the values are `modes`
        data={modes.map((mode) => ({
          value: mode,
          label: (
            <span data-testid={mode === '1' ? 'mode-chat' : mode === '2' ? 'mode-side-by-side' : `mode-${mode}`}>
              {mode === '1' ? text.modeChat : mode === '2' ? text.modeSideBySide(2) : mode}
            </span>
          ),
        }))}
      />
    </header>
  );
}
