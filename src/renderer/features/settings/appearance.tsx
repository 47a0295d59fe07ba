import { SegmentedControl } from '@mantine/core';
import type { Settings } from '../../../shared/ipc/contract';
import { useWriteSettings } from '../../data/shared-queries';
import { useText } from '../../i18n/text';
import classes from './settings.module.css';

/** Language and theme change with the click: what they do is seen at once. */
export function Appearance({ settings }: { readonly settings: Settings }) {
  const text = useText().settings;
  const { mutate, error } = useWriteSettings();
  return (
    <>
      <Choice
        name="language"
        value={settings.language}
        values={['system', 'en', 'zh']}
        onChange={(language) => mutate({ language })}
      />
      <Choice
        name="theme"
        value={settings.theme}
        values={['system', 'light', 'dark']}
        onChange={(theme) => mutate({ theme })}
      />
      {error !== null && (
        <p role="alert" className={classes.failure}>
          {text.saveFailed(error.message)}
        </p>
      )}
    </>
  );
}

interface ChoiceProps<Name extends 'language' | 'theme'> {
  readonly name: Name;
  readonly value: Settings[Name];
  readonly values: readonly Settings[Name][];
  readonly onChange: (value: Settings[Name]) => void;
}

function Choice<Name extends 'language' | 'theme'>({ name, value, values, onChange }: ChoiceProps<Name>) {
  const words = useText().settings.fields[name];
  // Every value of the setting has its word; the union of both settings hides that from the compiler.
  const options = words.options as Readonly<Record<string, string>>;
  return (
    <div className={classes.choice}>
      <span className={classes.choiceLabel} id={`settings-${name}-label`}>
        {words.label}
      </span>
      <SegmentedControl
        size="xs"
        aria-labelledby={`settings-${name}-label`}
        data-testid={`settings-${name}`}
        value={value}
        // The control only offers the values given.
        onChange={(chosen) => onChange(chosen as Settings[Name])}
        data={values.map((each) => ({ value: each, label: options[each] ?? each }))}
      />
    </div>
  );
}
