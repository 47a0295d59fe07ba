import { useActionKeys } from '../../../components/actions/use-actions';
import { prepareDom } from '../../../testing/dom';
import { useDraftStore } from '../drafts';
import { useLiveStore } from '../live-store';
import { RatePage } from '../rate-page';
import { useRateStore } from '../rate-store';
import { useRatingStore } from '../rating-store';

const fresh = { rate: useRateStore.getState(), ratings: useRatingStore.getState() };

/** The Rate screen with the keys of the window around it. */
export function RateWindow() {
  useActionKeys();
  return <RatePage />;
}

/** An empty conversation `chat-1`; nothing is left of the test before. */
export function prepareRate(): void {
  prepareDom();
  localStorage.clear();
  useLiveStore.setState({ answers: [] });
  useRatingStore.setState(fresh.ratings, true);
  useDraftStore.setState({ loaded: false, texts: {} });
  useRateStore.setState({ ...fresh.rate, taskId: 'chat-1', columns: 1, selected: null, receiptsOpen: false });
}
