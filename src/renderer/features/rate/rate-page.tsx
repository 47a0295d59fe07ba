import { useText } from '../../i18n/text';

export function RatePage() {
  return <h1>{useText().shell.screens.rate}</h1>;
}
