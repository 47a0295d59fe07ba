import { Button } from '@mantine/core';
import { useText } from '../../i18n/text';
import { type RowPlace, samePlace, togglePin, useTrajectoriesStore } from './store';

/** Pin this row, and compare it with the one that is pinned. */
export function PinButtons({ place }: { readonly place: RowPlace }) {
  const text = useText().trajectories;
  const pinned = useTrajectoriesStore((state) => state.pinned);
  const isPinned = pinned !== null && samePlace(pinned, place);
  return (
    <>
      <Button size="compact-xs" data-testid="detail-pin" aria-pressed={isPinned} onClick={() => togglePin(place)}>
        {isPinned ? text.unpin : text.pin}
      </Button>
      {pinned !== null && !isPinned && (
        <Button
          size="compact-xs"
          data-testid="detail-compare"
          onClick={() => useTrajectoriesStore.setState({ comparing: true })}
        >
          {text.compare}
        </Button>
      )}
    </>
  );
}
