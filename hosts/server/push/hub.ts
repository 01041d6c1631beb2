import type { WebSocket } from 'ws';
import { serviceUnavailable } from '../../../lib/base/errors.ts';
import { describeError, log } from '../../../lib/base/log.ts';
import { socketLimits } from '../../../lib/push/frames.ts';
import type { Dispatch } from '../../../lib/push/frames-for.ts';
import { readEpoch, readValidTokens } from '../../../lib/push/news.ts';
import { config } from '../../../lib/settings/config.ts';
import { createSemaphore } from '../http/semaphore.ts';
import { type Follower, newFollower } from './audience.ts';
import { ChunkPacer } from './chunk-pacer.ts';
import { Connection } from './connection.ts';
import { counts } from './counts.ts';
import { FollowedRooms } from './followed-rooms.ts';
import type { Presence } from './presence.ts';

/** The user and token of a new connection. */
type Opener = { user: string; username: string; token: string };

/**
 * Seconds of silence after which clients should ping, and milliseconds after which they count as
 * gone.
 */
export const pingEvery = 50;
const longestSilence = 2.5 * pingEvery * 1_000;

/** The users connected to this process, with their connections and rooms. */
export class Hub {
  readonly followers = new Map<string, Follower>();
  readonly rooms = new FollowedRooms(this);
  /** Delays chunks of texts that stream to many readers. */
  readonly chunks = new ChunkPacer<Dispatch & { to: 'readers' }>();
  /** The epoch of the rooms' positions; empty until it is known. */
  epoch = '';
  readonly #silent = new Set<Connection>();
  /** The presence of the users; `undefined` if it is switched off. */
  presence: Presence | undefined;
  readonly #prepare: () => Promise<void>;
  // Requests need database connections as well.
  readonly #readings = createSemaphore(Math.max(2, Math.floor(config.mongodbPoolSize / 2)));

  /**
   * `prepare` must have resolved before the first hello is answered. From then on, every notice
   * must reach `deliver`.
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
    this.rooms.disconnect(follower);
  }

  /** Loads the rooms of a connection's user. After that, it may be greeted. */
  async follow(connection: Connection, follower: Follower): Promise<void> {
    this.#silent.delete(connection);
    await this.#prepare();
    await this.checkEpoch();
    if (follower.isStale || follower.loading) await this.rooms.refresh(follower);
  }

  /**
   * If the database was replaced, ends all connections and forgets the rooms. The clients
   * reconnect.
   */
  async checkEpoch(): Promise<void> {
    const epoch = await this.read(readEpoch);
    if (this.epoch !== '' && this.epoch !== epoch) {
      this.drain();
      this.rooms.clear(this.followers.values());
    }
    this.epoch = epoch;
  }

  /** Checks the tokens of connections in the background. */
  checkSoon(connections: Connection[]): void {
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
