import { useText } from '../../i18n/text';

export function TrajectoriesPage() {
  return <h1>{useText().shell.screens.trajectories}</h1>;
}
