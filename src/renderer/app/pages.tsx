import type { ComponentType } from 'react';
import type { IconProps } from '../components/icons/icons';
import { GroupsIcon, RateIcon, RunsIcon, SettingsIcon, TrajectoriesIcon } from '../components/icons/icons';
import type { Screen } from '../components/navigation/navigation-store';
import { GroupsPage } from '../features/groups';
import { RatePage } from '../features/rate';
import { RunsPage } from '../features/runs';
import { SettingsPage } from '../features/settings';
import { TrajectoriesPage } from '../features/trajectories';

/** One line per screen; its word is in the language files under the same name. */
export const pages: Readonly<
  Record<Screen, { readonly Icon: ComponentType<IconProps>; readonly Page: ComponentType }>
> = {
  rate: { Icon: RateIcon, Page: RatePage },
  trajectories: { Icon: TrajectoriesIcon, Page: TrajectoriesPage },
  groups: { Icon: GroupsIcon, Page: GroupsPage },
  runs: { Icon: RunsIcon, Page: RunsPage },
  settings: { Icon: SettingsIcon, Page: SettingsPage },
};
