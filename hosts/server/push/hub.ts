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

/** Whose connection it is. */
type Opener = { user: string; username: string; token: string };

/** After how many seconds of silence clients are to ping, and after how many milliseconds they count as gone. */
export const pingEvery = 50;
const longestSilence = 2.5 * pingEvery * 1_000;

/**
 * Those who are connected to this process, and their rooms. The rooms only tell whether somebody here cares: who gets what is decided by who is
 * a member when it was read.
 */
export class Hub {
  readonly followers = new Map<string, Follower>();
  readonly rooms = new Map<string, Room>();
  /** The epoch in which the positions of the rooms count; empty until it is known. */
  epoch = '';
  readonly #silent = new Set<Connection>();
  /** How far rooms are that nobody followed, while it is being read who follows which. */
  readonly #missed = new Map<string, number>();
  #loads = 0;
  /** Who of them is active; undefined where nobody is to be told. */
  presence: Presence | undefined;
  readonly #prepare: () => Promise<void>;
  // The requests of others need the database as well.
  readonly #readings = createSemaphore(Math.max(2, Math.floor(config.mongodbPoolSize / 2)));

  /** `prepare` is waited for before the first hello is answered: from then on, every notice must come here. */
  constructor(prepare: () => Promise<void>) {
    this.#prepare = prepare;
  }

  /** All connections. */
  *connections(): Generator<Connection> {
    for (const { connections } of this.followers.values()) yield* connections;
  }

  /** Takes a connection over. */
  connect(socket: WebSocket, { user: id, username, token }: Opener): { connection: Connection; follower: Follower } {
    const connection = new Connection(socket, token);
    const follower = this.followers.get(id) ?? newFollower(id);
    this.followers.set(id, follower);
    follower.username = username;
    follower.connections.add(connection);
    this.#silent.add(connection);
    counts.sockets++;
    // What breaks the protocol, or is too large: the library closes the connection.
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

  /** Finds out what a connection is to hear of; when that is done, it may be greeted. */
  async follow(connection: Connection, follower: Follower): Promise<void> {
    this.#silent.delete(connection);
    await this.#prepare();
    await this.checkEpoch();
    if (follower.isStale || follower.loading) await this.refresh(follower);
  }

  /** Ends all connections if the database was replaced: what is known of the rooms goes with them, and their clients come back. */
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

  /** Takes a notice of this process or another. */
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
      // A type of notice that is added later is no end of its room.
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

  /** The feed of a room is at least at `seq`. */
  moved(room: Room, seq: number): void {
    if (seq > room.noticed) {
      room.noticed = seq;
      room.movedAt = Date.now();
    }
    if (room.noticed > room.position) void pump(this, room);
  }

  /** A room no longer exists. */
  gone(room: Room): void {
    for (const follower of room.followers) this.leave(follower, room);
  }

  /** A user is no longer a member of a room. */
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

  /** Reads which rooms a user has; a call during that read waits for a second one. */
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

  /** Adds the one room that a user has joined: reading all of them is for new connections. */
  #joinSoon(user: string, room: string): void {
    const follower = this.followers.get(user);
    if (!follower) return;
    // What is being read may be from before.
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

  // What fails here, the next sweep does.
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

  /** Ends those of these connections whose token has ended. */
  async check(connections: Connection[]): Promise<void> {
    if (connections.length === 0) return;
    const valid = await this.read(() => readValidTokens([...new Set(connections.map(({ token }) => token))]));
    for (const connection of connections) if (!valid.has(connection.token)) connection.end('ended');
  }

  /** Reads from the database when it is this hub's turn. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    if (!(await this.#readings.acquire(longestWait))) throw serviceUnavailable('The service is busy.');
    try {
      return await work();
    } finally {
      this.#readings.release();
    }
  }

  /** What is due every second: to catch up, and to end connections whose client is gone. */
  tick(now = performance.now()): void {
    for (const connection of this.#silent) if (now - connection.heardAt > socketLimits.hello * 1_000) connection.end('silent');
    for (const connection of this.connections()) {
      connection.catchUp(now, this.epoch);
      if (now - connection.heardAt > longestSilence) connection.terminate();
    }
  }

  /** Ends every connection; the clients come back one after the other. */
  drain(): void {
    for (const connection of this.connections()) connection.end('restart');
  }

  /** Ends every connection at a random moment within so many milliseconds; until then it is pushed to, and its client may go to another server then. */
  handOver(milliseconds: number): void {
    for (const connection of this.connections()) setTimeout(() => connection.end('handover'), milliseconds * Math.random());
  }
}

/** For how many milliseconds a read may wait for its turn. */
const longestWait = 30_000;
