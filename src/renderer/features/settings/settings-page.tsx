import { useText } from '../../i18n/text';

export function SettingsPage() {
  return <h1>{useText().shell.screens.settings}</h1>;
}
