import { fieldValues } from './en/field-values';
import { groups } from './en/groups';
import { rate } from './en/rate';
import { ratingStates } from './en/rating-states';
import { runs } from './en/runs';
import { settings } from './en/settings';
import { shell } from './en/shell';
import { trajectories } from './en/trajectories';

/** The language file every other one is checked against: a key missing there does not compile. */
export const en = { shell, fieldValues, ratingStates, rate, trajectories, groups, runs, settings };
export type Messages = typeof en;
