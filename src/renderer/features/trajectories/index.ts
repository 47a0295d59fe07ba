export { TrajectoriesPage } from './trajectories-page';
