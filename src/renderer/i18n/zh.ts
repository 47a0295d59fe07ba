import type { Messages } from './en';
import { fieldValues } from './zh/field-values';
import { groups } from './zh/groups';
import { rate } from './zh/rate';
import { ratingStates } from './zh/rating-states';
import { runs } from './zh/runs';
import { settings } from './zh/settings';
import { shell } from './zh/shell';
import { trajectories } from './zh/trajectories';

export const zh: Messages = { shell, fieldValues, ratingStates, rate, trajectories, groups, runs, settings };
