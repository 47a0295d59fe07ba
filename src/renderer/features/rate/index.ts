export { RatePage } from './rate-page';
