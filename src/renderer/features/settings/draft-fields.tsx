import { Select, Switch, TextInput } from '@mantine/core';
import type { Settings } from '../../../shared/ipc/contract';
import { type Baseline, baselineSchema } from '../../../shared/wire/trainer';
import { WarnIcon } from '../../components/icons/icons';
import { useText } from '../../i18n/text';
import { effects, fieldText, isGroupBaseline, readDrafts, type TextKey } from './form-fields';
import classes from './settings.module.css';
import { setDraft, useSettingsStore } from './store';

interface Props {
  readonly settings: Settings;
}

/** A text or number field: unit in the label, what it does below, and its range as the error when it is broken. */
export function TextField({ settings, name }: Props & { readonly name: TextKey }) {
  const text = useText().settings;
  const draft = useSettingsStore(({ drafts }) => drafts[name]);
  const words = text.fields[name];
  const isInvalid = draft !== undefined && readDrafts(settings, { [name]: draft }).invalid.length > 0;
  return (
    <TextInput
      label={words.unit === '' ? words.label : text.withUnit(words.label, words.unit)}
      description={text.sentences([words.help, text.range(words.range), text.takesEffect(text.effects[effects[name]])])}
      error={isInvalid ? text.invalid(words.range) : undefined}
      value={draft === undefined ? fieldText(settings, name) : String(draft)}
      data-testid={`settings-${name}`}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      spellCheck={false}
      classNames={{ description: classes.help, input: classes.input, error: classes.error }}
      onChange={({ currentTarget }) => setDraft(name, currentTarget.value)}
    />
  );
}

export function BaselineField({ settings }: Props) {
  const text = useText().settings;
  const words = text.fields.baseline;
  const draft = useSettingsStore(({ drafts }) => drafts.baseline);
  const value = String(draft ?? settings.baseline);
  return (
    <div>
      <Select
        label={words.label}
        description={text.sentences([words.help, text.takesEffect(text.effects[effects.baseline])])}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        allowDeselect={false}
        classNames={{ description: classes.help, wrapper: classes.input }}
        data-testid="settings-baseline"
        value={value}
        data={baselineSchema.options.map((option: Baseline) => ({ value: option, label: words.options[option] }))}
        onChange={(chosen) => chosen !== null && setDraft('baseline', chosen)}
      />
      {isGroupBaseline(value) && (
        <p className={classes.warning} role="note" data-testid="settings-baseline-warning">
          <WarnIcon size={14} />
          {words.warning}
        </p>
      )}
    </div>
  );
}

export function EndSessionField({ settings }: Props) {
  const text = useText().settings;
  const words = text.fields.endSessionOnRating;
  const draft = useSettingsStore(({ drafts }) => drafts.endSessionOnRating);
  return (
    <Switch
      size="xs"
      classNames={{ description: classes.help }}
      label={words.label}
      description={text.sentences([words.help, text.takesEffect(text.effects[effects.endSessionOnRating])])}
      checked={draft === undefined ? settings.endSessionOnRating : draft === true}
      data-testid="settings-endSessionOnRating"
      onChange={({ currentTarget }) => setDraft('endSessionOnRating', currentTarget.checked)}
    />
  );
}
