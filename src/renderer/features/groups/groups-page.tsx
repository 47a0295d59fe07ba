import { useText } from '../../i18n/text';

export function GroupsPage() {
  return <h1>{useText().shell.screens.groups}</h1>;
}
