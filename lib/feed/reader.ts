import type { ObjectId } from 'mongodb';
import { HttpError } from '../base/errors.ts';
import { type Event, readEvents } from './events.ts';

/*
 * The service reads feeds for webhooks, devices, connections of a server and of a gateway. Each
 * reader has a place in a room's feed and moves it after the events were delivered.
 */

/** The events after a reader's place, up to the first gap, or the reason why they are missing. */
export type FeedPart =
  | { kind: 'events'; events: Event[]; next: number }
  /** Some events after the place are deleted by now. */
  | { kind: 'expired' }
  /** The place belongs to another history, which a restored backup has replaced. */
  | { kind: 'replaced' }
  /** The room was deleted. */
  | { kind: 'deleted' };

/** Reads up to `limit` events of a room for the service, which decides who receives them. */
export async function readPart(room: ObjectId, after: number, limit: number): Promise<FeedPart> {
  try {
    return { kind: 'events', ...(await readEvents(room, after, limit, 'service')) };
  } catch (error) {
    const kind = error instanceof HttpError ? kinds[error.body?.code ?? ''] : undefined;
    if (!kind) throw error;
    return { kind };
  }
}

const kinds: Record<string, Exclude<FeedPart['kind'], 'events'> | undefined> = {
  cursor_too_old: 'expired',
  history_replaced: 'replaced',
  room_not_found: 'deleted',
};
