import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { moveMarker } from '../../store/rooms/rooms.ts';
import { intentOf } from '../../store/scroll-intent.ts';
import type { Timeline } from '../../store/timeline.ts';
import { sync } from '../../sync/sync.ts';
import { IconButton } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';

/**
 * Shows the number of new messages if the line before them is above the visible part, with a link
 * to it.
 */
export function NewAbove({ timeline }: { timeline: Timeline }) {
  const intent = intentOf(timeline);
  const { messages } = timeline.window.value;
  const line = intent.line.value;
  if (!intent.isLineAbove.value) return null;
  const mine = me()._id.$oid;
  const here = messages.filter(({ seq, user }) => seq > line && user.$oid !== mine).length;
  const dismiss = () => {
    const { at, epoch } = timeline.place;
    intent.lineSeen();
    if (at !== undefined && moveMarker(timeline.room, at, epoch)) void sync.run();
  };
  return (
    <div class="new-above">
      <button type="button" title={strings.room.toNew} onClick={() => void intent.goToLine()}>
        <Icon name="down" /> {strings.room.came(Math.max(here, intent.unread))}
      </button>
      <IconButton icon="check" label={strings.rooms.markRead} onPress={dismiss} />
    </div>
  );
}

/** Looks whether the line is above the upper edge of the box, or was seen. */
export function lookForLine(timeline: Timeline, box: HTMLElement): void {
  const intent = intentOf(timeline);
  if (intent.isLineSeen) return;
  const row = box.querySelector('.new-line');
  const [frame, place] = [box.getBoundingClientRect(), row?.getBoundingClientRect()];
  const { messages, isAtStart } = timeline.window.peek();
  const isSeen = place && place.bottom > frame.top && place.top < frame.bottom && document.visibilityState === 'visible';
  if (isSeen) intent.lineSeen();
  else intent.isLineAbove.value = place ? place.bottom <= frame.top : !isAtStart && (messages[0]?.seq ?? 0) > intent.line.peek();
}
