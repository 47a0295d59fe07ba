import { openScreen } from '../../components/navigation/navigation-store';
import { type TrajectoryPlace, writeTrajectoryPlace } from '../../components/navigation/trajectory-place';

/** Goes to the rows behind a point of a chart. */
export function openRows(place: TrajectoryPlace): void {
  openScreen('trajectories', writeTrajectoryPlace(place));
}
