import { useText } from '../../i18n/text';

export function RunsPage() {
  return <h1>{useText().shell.screens.runs}</h1>;
}
