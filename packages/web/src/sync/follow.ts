import { readCursor, writeCursor } from 'chat-service-client/cursor';
import { type Ask, Cursors, type FollowedEvent } from 'chat-service-client/cursors';
import { adaptive } from 'chat-service-client/pace';
import { route } from '../device/routes.ts';
import { ask, askFully, chat, Failure, type Message, type ServerFrame } from '../service/api.ts';
import { forgetRoom } from '../store/cache.ts';
import { knownEpoch } from '../store/epoch.ts';
import { changeMembers } from '../store/people/members.ts';
import { hideActivity, hideTyping } from '../store/people/typing.ts';
import { type Changes, reduce } from '../store/reduce.ts';
import { dropRoom, roomOf } from '../store/rooms/rooms.ts';
import { endStream, isBeforeEnd, showChunk } from '../store/rooms/streams.ts';
import { membersChanged, roomChanged } from '../store/rooms/topics.ts';
import { applyToThreads, thread } from '../store/threads/thread.ts';
import type { Timeline } from '../store/timeline.ts';
import { dropTimeline, knownTimeline } from '../store/timelines.ts';

// In milliseconds: how often a page asks that nobody sees, and one that shows notifications.
const hiddenMs = 60_000;
const notifying = 15_000;
/** How often it asks although changes are pushed, and until they are again. */
const pushed = 60_000;
const afterPush = 5_000;
/** After an event in one room, the positions of the other rooms are requested within this time. */
const spread = 2_000;

function interval(quiet: number, hadPush: boolean): number {
  if (document.visibilityState !== 'hidden') return hadPush ? afterPush : adaptive(quiet);
  return 'Notification' in window && Notification.permission === 'granted' ? notifying : hiddenMs;
}

const now = () => performance.now();

/** The timeline of the room that is open. */
export const openTimeline = (): Timeline | undefined =>
  route.value.name === 'room' ? knownTimeline(route.value.room) : undefined;

/**
 * Keeps the open room up to date by the rule of the typed client. Its `Cursors` decide what to
 * request and when, and which parts of the responses and pushes are news.
 */
export class Follower {
  readonly cursors = new Cursors({ isSelective: true, interval, spread: 0, safetyInterval: pushed });
  /** The followed timeline: that of the open room, once it is shown. */
  #timeline: Timeline | undefined;

  /** Has asked at once what happened in the open room, or in it and everywhere. */
  wake(room?: string): void {
    const open = this.#followOpen()?.room;
    if (open !== undefined) this.cursors.wake(now(), open);
    if (room === undefined || room !== open) this.cursors.wake(now());
  }

  /** Handles a push. */
  hear(frame: ServerFrame): void {
    const { type } = frame;
    if (type === 'room') this.cursors.moved({ ...frame, room: frame.room.$oid }, now());
    else if (type === 'left') this.cursors.doubted(frame.room.$oid, now());
    else if (type === 'pong') {
      if (frame.epoch !== knownEpoch()) this.wake();
      const moved = frame.rooms.filter(({ room, seq }) => seq > (roomOf(room.$oid)?.seq ?? 0));
      for (const { room, seq } of moved) this.cursors.moved({ room: room.$oid, epoch: frame.epoch, seq }, now());
      if (moved.length === 0 && !frame.more) return;
    } else return;
    this.cursors.wakeWithin(spread, now());
    this.#takeNews();
  }

  /** The next request, if one is due. */
  next(): Ask | undefined {
    this.#followOpen();
    return this.cursors.next(now());
  }

  /** Follows the open room, once it is shown, and no other. */
  #followOpen(): Timeline | undefined {
    const timeline = openTimeline();
    if (timeline !== this.#timeline && this.#timeline) {
      this.cursors.unfollow(this.#timeline.room);
      this.#timeline = undefined;
    }
    if (timeline && !this.#timeline && timeline.state.value === 'ready') {
      this.#timeline = timeline;
      this.cursors.follow(timeline.room, timeline.place, roomOf(timeline.room)?.seq ?? 0, now());
    }
    return this.#timeline;
  }

  /** Reads the events of the open room, or the whole room if its cursor is unknown. */
  async readOn(question: Ask & { kind: 'events' }): Promise<void> {
    const { room, after, epoch } = question;
    const timeline = this.#timeline as Timeline;
    try {
      if (after === undefined) {
        // It may have been opened in the meantime.
        if (timeline.place.at === undefined) await timeline.readAgain();
        else this.cursors.doubted(room, now());
        const { at: next = 0, epoch } = timeline.place;
        this.cursors.read(room, after, { events: [], next, epoch }, now());
        return this.#takeNews();
      }
      const query = { room, after: writeCursor({ epoch, at: after }), limit: 500 };
      const { data, headers } = await askFully(chat.GET('/api/events', { params: { query } }));
      const next = readCursor(headers.get('X-Next-Cursor') ?? '');
      this.cursors.read(room, after, { events: data, next: Number(next.at), epoch: next.epoch }, now());
      this.#takeNews();
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      const { status, code } = failure;
      if (status === 404 || status === 403) {
        dropRoom(room);
        dropTimeline(room);
        void forgetRoom(room);
        this.cursors.lost(room, now());
      } else if (status === 410 || status === 400) {
        // Too old a cursor, or one of a history that a backup has replaced.
        timeline.forgetPlace(code === 'history_replaced');
        this.cursors.replaced(question, now());
      } else throw failure;
    }
  }

  /** Applies the news. */
  #takeNews(): void {
    const events = this.cursors.take().filter((one): one is FollowedEvent => 'data' in one);
    const timeline = this.#timeline;
    const { at, epoch } = this.cursors.placeOf(timeline?.room ?? '') ?? {};
    if (!timeline || at === undefined || (events.length === 0 && at === timeline.place.at)) return;
    const changes = reduce(events);
    timeline.apply(changes, { at, epoch });
    if (events.length > 0) applyChanges(timeline.room, changes);
  }
}

/** Applies the events of a room, except its messages, which are applied already. */
function applyChanges(room: string, changes: Changes): void {
  applyToThreads(changes.messages);
  for (const message of changes.messages) {
    hideTyping(room, message.user.$oid);
    if (message.thread) hideActivity(message.thread.$oid, message);
    endStream(message);
  }
  changeMembers(room, changes);
  if (changes.room || changes.areDetailsStale) roomChanged(room, changes.room);
  else if (changes.isCountStale) membersChanged(room);
  const { messages, isAtEnd } = knownTimeline(room)?.window.value ?? { messages: [], isAtEnd: true };
  // Where earlier messages are shown, the newest ones are still kept.
  for (const id of changes.repliedTo) if (!isAtEnd || messages.some(({ _id }) => _id.$oid === id)) void refreshMessage(room, id);
}

/** Reads a message again, for its text or its number of replies. */
async function refreshMessage(room: string, id: string): Promise<void> {
  try {
    const message = (await ask(chat.GET('/api/messages/{message}', { params: { path: { message: id } } }))) as Message;
    // Its end may have arrived while the answer was on its way.
    if (isBeforeEnd(message, knownMessage(room, id))) return;
    const timeline = knownTimeline(room);
    const { at, epoch } = timeline?.place ?? {};
    // Kept as well: no later event says it again.
    timeline?.apply({ messages: [message] }, at === undefined ? undefined : { at, epoch });
    applyToThreads([message]);
  } catch {
    // It is read again with its page of history.
  }
}

/** A message of the room or the thread that is open. */
function knownMessage(room: string, id: string): Message | undefined {
  const isIt = ({ _id }: Message) => _id.$oid === id;
  return knownTimeline(room)?.window.value.messages.find(isIt) ?? thread.value?.replies.find(isIt);
}

type ChunkFrame = Extract<ServerFrame, { type: 'chunk' }>;

/** The time at which a message was last read because a frame did not continue its text. */
let caughtUpAt = 0;

/**
 * Shows the text of a message that streams in the open room. Reads the message if some of its text
 * is missing.
 */
export function hearChunk(frame: ChunkFrame): void {
  const room = frame.room.$oid;
  if (route.value.name !== 'room' || route.value.room !== room) return;
  if (showChunk(frame, knownMessage(room, frame.message.$oid)) || performance.now() - caughtUpAt < 1_000) return;
  caughtUpAt = performance.now();
  void refreshMessage(room, frame.message.$oid);
}

/** The silence after which a message that streams is read again, in milliseconds. */
const silenceMs = 2_000;

/**
 * Reads a message again while its text does not grow, less and less often. Frames before the
 * connection did not arrive, and a page of history is up to a second older than the frames. Returns
 * how to stop.
 */
export function readWhileSilent({ _id, room }: Message): () => void {
  let waitMs = silenceMs;
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const wait = (): void => {
    timer = setTimeout(async () => {
      if (document.visibilityState !== 'hidden') {
        waitMs *= 2;
        await refreshMessage(room.$oid, _id.$oid);
      }
      if (!isStopped) wait();
    }, waitMs);
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
