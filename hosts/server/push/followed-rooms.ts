import { describeError, log } from '../../../lib/base/log.ts';
import { encodeSignal } from '../../../lib/push/encode.ts';
import { readRoomOf, readRoomsOf } from '../../../lib/push/news.ts';
import { type Follower, newRoom, type Room } from './audience.ts';
import { pump } from './pump.ts';

/** The part of the hub that these rooms use. */
type Source = {
  /** The epoch of the rooms' positions. */
  readonly epoch: string;
  /** Reads from the database, with limited concurrency. */
  read: <T>(work: () => Promise<T>) => Promise<T>;
};

/**
 * The rooms of the connected users. They only show whether a connected user is interested. The
 * members, as read together with the news, decide who receives them.
 */
export class FollowedRooms {
  readonly #source: Source;
  readonly #rooms = new Map<string, Room>();
  /** Positions of rooms without followers, kept while the rooms of a follower are being read. */
  readonly #missed = new Map<string, number>();
  #loads = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  get = (id: string): Room | undefined => this.#rooms.get(id);

  all = (): Room[] => [...this.#rooms.values()];

  read: Source['read'] = (work) => this.#source.read(work);

  /** Records that the feed of a room has reached at least `seq`. */
  notePosition(id: string, seq: number): void {
    const room = this.#rooms.get(id);
    if (room) this.moved(room, seq);
    else if (this.#loads > 0) this.#missed.set(id, Math.max(seq, this.#missed.get(id) ?? 0));
  }

  /** Records that the feed of a followed room has reached at least `seq`. */
  moved(room: Room, seq: number): void {
    if (seq > room.noticed) {
      room.noticed = seq;
      room.movedAt = Date.now();
    }
    if (room.noticed > room.position) void pump(this, room);
  }

  /** Handles the end of a room. */
  gone = (room: Room): void => {
    for (const follower of room.followers) this.leave(follower, room);
  };

  /** Removes a user who has left a room, and notifies the user's connections. */
  leave = (follower: Follower, room: Room): void => {
    this.#forget(follower, room);
    follower.rooms.delete(room);
    for (const connection of follower.connections) if (connection.isGreeted) connection.sendLeft(room.id);
  };

  /** Removes a user whose last connection has ended. */
  disconnect(follower: Follower): void {
    for (const room of follower.rooms) this.#forget(follower, room);
  }

  /** Forgets all rooms, because the database was replaced. */
  clear(followers: Iterable<Follower>): void {
    for (const room of this.#rooms.values()) room.followers.clear();
    this.#rooms.clear();
    for (const follower of followers) {
      follower.rooms.clear();
      follower.isStale = true;
    }
  }

  /** Reads the rooms of a user. If a read is in progress, another one follows. */
  refresh(follower: Follower): Promise<void> {
    follower.isStale = true;
    follower.loading ??= this.#load(follower).finally(() => {
      follower.loading = undefined;
    });
    return follower.loading;
  }

  /** Reads the rooms of a user in the background. If this fails, the next sweep repeats it. */
  refreshSoon(follower: Follower): void {
    this.refresh(follower).catch((error) => log('error', 'rooms not read', { error: describeError(error) }));
  }

  /** Adds the room that a user has joined. Reading all rooms is only for new connections. */
  joinSoon(follower: Follower, room: string): void {
    // A read in progress may miss the new room.
    if (follower.isStale || follower.loading) this.refreshSoon(follower);
    else
      this.#loadRoom(follower, room).catch((error) => {
        follower.isStale = true;
        log('error', 'room not read', { error: describeError(error) });
      });
  }

  #forget(follower: Follower, room: Room): void {
    room.followers.delete(follower);
    if (room.followers.size === 0) this.#rooms.delete(room.id);
  }

  #join(follower: Follower, id: string, seq: number): void {
    const room = this.#rooms.get(id) ?? newRoom(id, seq);
    this.#rooms.set(id, room);
    const isNew = !room.followers.has(follower);
    room.followers.add(follower);
    follower.rooms.add(room);
    this.moved(room, Math.max(seq, this.#missed.get(id) ?? 0));
    if (!isNew) return;
    const signal = encodeSignal(id, this.#source.epoch, room.noticed);
    for (const connection of follower.connections)
      if (connection.isGreeted) connection.sendNews(id, room.noticed, [signal], 'signal');
  }

  async #load(follower: Follower): Promise<void> {
    while (follower.isStale && follower.connections.size > 0) {
      follower.isStale = false;
      try {
        await this.#loading(async () => {
          const { rooms: found, ...account } = await this.read(() => readRoomsOf(follower.id));
          if (follower.connections.size === 0) return;
          follower.account = account;
          for (const room of follower.rooms) if (!found.has(room.id)) this.leave(follower, room);
          for (const [id, seq] of found) this.#join(follower, id, seq);
        });
      } catch (error) {
        follower.isStale = true;
        throw error;
      }
    }
  }

  #loadRoom = (follower: Follower, room: string): Promise<void> =>
    this.#loading(async () => {
      const found = await this.read(() => readRoomOf(follower.id, room));
      if (follower.connections.size > 0) for (const [id, seq] of found) this.#join(follower, id, seq);
    });

  /** Keeps the positions of rooms without followers while rooms are being read. */
  async #loading(load: () => Promise<void>): Promise<void> {
    this.#loads++;
    try {
      await load();
    } finally {
      this.#loads--;
      if (this.#loads === 0) this.#missed.clear();
    }
  }
}
