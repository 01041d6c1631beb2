import type { WebSocket } from 'ws';
import { serviceUnavailable } from '../../../lib/base/errors.ts';
import { describeError, log } from '../../../lib/base/log.ts';
import type { Notice, ServerNotice } from '../../../lib/notices/notices.ts';
import {
  type EncodedFrame,
  encode,
  encodeNotifications,
  encodeRead,
  encodeSaved,
  encodeSignal,
  encodeThread,
} from '../../../lib/push/encode.ts';
import { socketLimits } from '../../../lib/push/frames.ts';
import { readEpoch, readRoomOf, readRoomsOf, readValidTokens } from '../../../lib/push/news.ts';
import { config } from '../../../lib/settings/config.ts';
import { createSemaphore } from '../http/semaphore.ts';
import { type Follower, newFollower, newRoom, type Room } from './audience.ts';
import { Connection } from './connection.ts';
import { counts } from './counts.ts';
import type { Presence } from './presence.ts';
import { pump } from './pump.ts';

/** The user and token of a new connection. */
type Opener = { user: string; username: string; token: string };

/**
 * Seconds of silence after which clients should ping, and milliseconds after which they count as
 * gone.
 */
export const pingEvery = 50;
const longestSilence = 2.5 * pingEvery * 1_000;

/**
 * The users connected to this process, and their rooms. The rooms only show whether a connected
 * user is interested. The members, as read together with the news, decide who receives them.
 */
export class Hub {
  readonly followers = new Map<string, Follower>();
  readonly rooms = new Map<string, Room>();
  /** The epoch of the rooms' positions; empty until it is known. */
  epoch = '';
  readonly #silent = new Set<Connection>();
  /** Positions of rooms without followers, kept while the rooms of a follower are being read. */
  readonly #missed = new Map<string, number>();
  #loads = 0;
  /** The presence of the users; `undefined` if it is switched off. */
  presence: Presence | undefined;
  readonly #prepare: () => Promise<void>;
  // Requests need database connections as well.
  readonly #readings = createSemaphore(Math.max(2, Math.floor(config.mongodbPoolSize / 2)));

  /**
   * `prepare` must have resolved before the first hello is answered. From then on, every notice
   * must arrive here.
   */
  constructor(prepare: () => Promise<void>) {
    this.#prepare = prepare;
  }

  *connections(): Generator<Connection> {
    for (const { connections } of this.followers.values()) yield* connections;
  }

  /** Registers a new connection. */
  connect(socket: WebSocket, { user: id, username, token }: Opener): { connection: Connection; follower: Follower } {
    const connection = new Connection(socket, token);
    const follower = this.followers.get(id) ?? newFollower(id);
    this.followers.set(id, follower);
    follower.username = username;
    follower.connections.add(connection);
    this.#silent.add(connection);
    counts.sockets++;
    // The library closes the connection itself after a protocol error or an oversized frame.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#disconnect(connection, follower));
    return { connection, follower };
  }

  #disconnect(connection: Connection, follower: Follower): void {
    counts.sockets--;
    this.#silent.delete(connection);
    follower.connections.delete(connection);
    if (follower.connections.size > 0) return;
    this.presence?.left(follower.id, { isForGood: connection.isSignedOut });
    this.followers.delete(follower.id);
    for (const room of follower.rooms) this.#forget(follower, room);
  }

  /** Loads the rooms of a connection's user. After that, it may be greeted. */
  async follow(connection: Connection, follower: Follower): Promise<void> {
    this.#silent.delete(connection);
    await this.#prepare();
    await this.checkEpoch();
    if (follower.isStale || follower.loading) await this.refresh(follower);
  }

  /**
   * If the database was replaced, ends all connections and forgets the rooms. The clients
   * reconnect.
   */
  async checkEpoch(): Promise<void> {
    const epoch = await this.read(readEpoch);
    if (this.epoch !== '' && this.epoch !== epoch) {
      this.drain();
      for (const room of this.rooms.values()) room.followers.clear();
      this.rooms.clear();
      for (const follower of this.followers.values()) {
        follower.rooms.clear();
        follower.isStale = true;
      }
    }
    this.epoch = epoch;
  }

  /** Handles a notice of this or another process. */
  notice(notice: ServerNotice): void {
    if (this.followers.size === 0) return;
    if (notice.type === 'moved') this.#moved(notice);
    else if (notice.type === 'typing') this.#tellOfTyping(notice);
    else if (notice.type === 'read') this.#tellOfReading(notice.user, encodeRead(notice));
    else if (notice.type === 'thread') this.#tellOfReading(notice.user, encodeThread(notice));
    else if (notice.type === 'saved') this.#tellOfReading(notice.user, encodeSaved(notice));
    else if (notice.type === 'notifications') this.#tellOfReading(notice.user, encodeNotifications());
    else if (notice.type === 'blocked') this.#refreshSoon(notice.user);
    else if (notice.type === 'ended') this.#checkSoon(notice);
    else if (notice.type === 'presence') this.presence?.hear(notice);
    else if (notice.type === 'person') {
      this.#refreshSoon(notice.user);
      this.presence?.changed(notice.user);
    } else {
      // Fails to compile if a new type of notice is added but not handled.
      const { room: id } = notice satisfies { type: 'gone' };
      const room = this.rooms.get(id);
      if (room) this.gone(room);
    }
  }

  #moved({ room: id, seq, joined = [] }: Notice & { type: 'moved' }): void {
    const room = this.rooms.get(id);
    if (room) this.moved(room, seq);
    else if (this.#loads > 0) this.#missed.set(id, Math.max(seq, this.#missed.get(id) ?? 0));
    for (const user of joined) this.#joinSoon(user, id);
  }

  #tellOfTyping({ room: id, user, username }: Notice & { type: 'typing' }): void {
    const room = this.rooms.get(id);
    if (!room || room.followers.size > socketLimits.typing) return;
    const frame = encode({ type: 'typing', room: { $oid: id }, user: { $oid: user }, username });
    for (const follower of room.followers)
      for (const connection of follower.connections)
        if (follower.id !== user && connection.isGreeted) connection.sendEphemeral(frame, 'typing');
  }

  #tellOfReading(user: string, frame: EncodedFrame): void {
    for (const connection of this.followers.get(user)?.connections ?? [])
      if (connection.isGreeted) connection.sendEphemeral(frame, 'read');
  }

  /** Records that the feed of a room has reached at least `seq`. */
  moved(room: Room, seq: number): void {
    if (seq > room.noticed) {
      room.noticed = seq;
      room.movedAt = Date.now();
    }
    if (room.noticed > room.position) void pump(this, room);
  }

  /** Handles the end of a room. */
  gone(room: Room): void {
    for (const follower of room.followers) this.leave(follower, room);
  }

  /** Removes a user who has left a room, and notifies the user's connections. */
  leave(follower: Follower, room: Room): void {
    this.#forget(follower, room);
    follower.rooms.delete(room);
    for (const connection of follower.connections) if (connection.isGreeted) connection.sendLeft(room.id);
  }

  #forget(follower: Follower, room: Room): void {
    room.followers.delete(follower);
    if (room.followers.size === 0) this.rooms.delete(room.id);
  }

  #join(follower: Follower, id: string, seq: number): void {
    const room = this.rooms.get(id) ?? newRoom(id, seq);
    this.rooms.set(id, room);
    const isNew = !room.followers.has(follower);
    room.followers.add(follower);
    follower.rooms.add(room);
    this.moved(room, Math.max(seq, this.#missed.get(id) ?? 0));
    if (!isNew) return;
    const signal = encodeSignal(id, this.epoch, room.noticed);
    for (const connection of follower.connections)
      if (connection.isGreeted) connection.sendNews(id, room.noticed, [signal], 'signal');
  }

  /** Reads the rooms of a user. If a read is in progress, another one follows. */
  refresh(follower: Follower): Promise<void> {
    follower.isStale = true;
    follower.loading ??= this.#load(follower).finally(() => {
      follower.loading = undefined;
    });
    return follower.loading;
  }

  async #load(follower: Follower): Promise<void> {
    while (follower.isStale && follower.connections.size > 0) {
      follower.isStale = false;
      this.#loads++;
      try {
        const { rooms: found, ...account } = await this.read(() => readRoomsOf(follower.id));
        if (follower.connections.size === 0) return;
        follower.account = account;
        for (const room of follower.rooms) if (!found.has(room.id)) this.leave(follower, room);
        for (const [id, seq] of found) this.#join(follower, id, seq);
      } catch (error) {
        follower.isStale = true;
        throw error;
      } finally {
        this.#loads--;
        if (this.#loads === 0) this.#missed.clear();
      }
    }
  }

  /** Adds the room that a user has joined. Reading all rooms is only for new connections. */
  #joinSoon(user: string, room: string): void {
    const follower = this.followers.get(user);
    if (!follower) return;
    // A read in progress may miss the new room.
    if (follower.isStale || follower.loading) this.#refreshSoon(user);
    else
      this.#loadRoom(follower, room).catch((error) => {
        follower.isStale = true;
        log('error', 'room not read', { error: describeError(error) });
      });
  }

  async #loadRoom(follower: Follower, room: string): Promise<void> {
    this.#loads++;
    try {
      const found = await this.read(() => readRoomOf(follower.id, room));
      if (follower.connections.size > 0) for (const [id, seq] of found) this.#join(follower, id, seq);
    } finally {
      this.#loads--;
      if (this.#loads === 0) this.#missed.clear();
    }
  }

  // If this fails, the next sweep repeats it.
  #refreshSoon(user: string): void {
    const follower = this.followers.get(user);
    if (follower) this.refresh(follower).catch((error) => log('error', 'rooms not read', { error: describeError(error) }));
  }

  #checkSoon(notice: Notice & { type: 'ended' }): void {
    const connections =
      'user' in notice
        ? [...(this.followers.get(notice.user)?.connections ?? [])]
        : [...this.connections()].filter(({ token }) => token === notice.token);
    this.check(connections).catch((error) => log('error', 'tokens not read', { error: describeError(error) }));
  }

  /** Ends those connections whose token has been revoked or has expired. */
  async check(connections: Connection[]): Promise<void> {
    if (connections.length === 0) return;
    const valid = await this.read(() => readValidTokens([...new Set(connections.map(({ token }) => token))]));
    for (const connection of connections) if (!valid.has(connection.token)) connection.end('ended');
  }

  /** Reads from the database, with limited concurrency. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    if (!(await this.#readings.acquire(longestWait))) throw serviceUnavailable('The service is busy.');
    try {
      return await work();
    } finally {
      this.#readings.release();
    }
  }

  /** Runs every second: sends pending positions, and ends connections whose client is gone. */
  tick(now = performance.now()): void {
    for (const connection of this.#silent) if (now - connection.heardAt > socketLimits.hello * 1_000) connection.end('silent');
    for (const connection of this.connections()) {
      connection.catchUp(now, this.epoch);
      if (now - connection.heardAt > longestSilence) connection.terminate();
    }
  }

  /** Ends every connection. The clients reconnect after different delays. */
  drain(): void {
    for (const connection of this.connections()) connection.end('restart');
  }

  /**
   * Ends each connection at a random moment within `milliseconds`, so that clients move to other
   * servers gradually. Until then it still receives news.
   */
  handOver(milliseconds: number): void {
    for (const connection of this.connections()) setTimeout(() => connection.end('handover'), milliseconds * Math.random());
  }
}

/** The longest wait of a read for its turn, in milliseconds. */
const longestWait = 30_000;
