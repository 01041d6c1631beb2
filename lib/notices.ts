/** What those who are connected may want to hear of, once it is stored; ids are in hexadecimal. */
export type Notice =
  /** The feed of a room is at `seq`; these users have just become members. */
  | { type: 'moved'; room: string; seq: number; joined?: string[] }
  /** A room is deleted; these were its members. */
  | { type: 'gone'; room: string; users: string[] }
  /** Some of the tokens of a user, or this one, may have ended. */
  | { type: 'ended'; user: string }
  | { type: 'ended'; token: string }
  /** What a user wants to see has changed: someone is blocked, or not any more. */
  | { type: 'blocked'; user: string }
  /** A user has read a room up to `seq`. */
  | { type: 'read'; room: string; user: string; seq: number }
  /** A user is typing. */
  | { type: 'typing'; room: string; user: string; username: string };

/** Who passes notices on. */
export type Listener = (notice: Notice) => void;

const listeners = new Set<Listener>();

/** From now on this listener gets every notice of this process, until the function that is returned is called. */
export function onNotice(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Passes a notice on, after what it tells of is stored. It may get lost: the feed has everything, and whoever is connected looks there. */
export function notify(notice: Notice): void {
  for (const listener of listeners) listener(notice);
}
