export { RunsPage } from './runs-page';
