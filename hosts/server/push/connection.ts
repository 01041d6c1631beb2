import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { PresentPerson } from '../../../lib/notices/notices.ts';
import { type EncodedFrame, encode, encodeSignal } from '../../../lib/push/encode.ts';
import { type Farewell, farewells, socketLimits } from '../../../lib/push/frames.ts';
import { Bucket } from './bucket.ts';
import { counts, type PushCounts } from './counts.ts';

/** Above so many bytes that a client has not taken yet it gets nothing that it can do without, and above so many no events. */
const manyBytes = 64 * 1024;
const mostBytes = 256 * 1024;

/** For how many milliseconds it may stay so, and how long a connection that is being closed may take. */
const longestSlow = 30_000;
export const longestClose = 2_000;

/** How many bytes stand before the payload of a client's frame at most. */
const largestHead = 14;

const textual = { binary: false };

/** One WebSocket: what it was told, and what it has yet to be told. */
export class Connection {
  readonly id = randomBytes(9).toString('base64url');
  /** The id of the token on whose behalf it was opened. */
  readonly token: string;
  /** Whether it has said hello, after which it gets news; and whether it wants the events in them. */
  isGreeted = false;
  wantsEvents = true;
  /** When the client sent its last frame that was no mere ping or pong, on the clock of `performance.now()`. */
  heardAt = performance.now();
  /** The people whom it watches, and what it was told of each. */
  watched = new Map<string, PresentPerson['state'] | undefined>();
  readonly #socket: WebSocket;
  readonly #frames = new Bucket(socketLimits.framesPerMinute);
  readonly #bytes = new Bucket(socketLimits.framesPerMinute * (socketLimits.frame + largestHead));
  #excess = 0;
  /** How far the rooms are of which a client that reads too slowly was not told. */
  #untold: Map<string, number> | undefined;
  #slowSince: number | undefined;
  #isEnding = false;
  /** Whether it is ending because its token has ended. */
  isSignedOut = false;
  #typing: { room: string; at: number } | undefined;

  constructor(socket: WebSocket, token: string) {
    this.#socket = socket;
    this.token = token;
  }

  /** Sends an answer, or what must not get lost. */
  send(frame: EncodedFrame): void {
    this.#socket.send(frame, textual);
  }

  /** Sends the news of a room up to `seq`; to a client that reads too slowly later, and only how far the room is. */
  sendNews(room: string, seq: number, frames: EncodedFrame[], kind: 'events' | 'signal'): void {
    if (this.#untold || this.isSlow) {
      this.#untold ??= new Map();
      this.#untold.set(room, seq);
      counts.dropped.events++;
      return;
    }
    for (const frame of frames) this.#push(frame, kind);
  }

  /** Sends what may get lost, unless the client reads slowly. */
  sendEphemeral(frame: EncodedFrame, kind: 'typing' | 'read' | 'presence'): void {
    if (this.isBehind) counts.dropped.ephemeral++;
    else this.#push(frame, kind);
  }

  /** Says that the user has left a room. */
  sendLeft(room: string): void {
    this.#untold?.delete(room);
    this.#push(encode({ type: 'left', room: { $oid: room } }), 'left');
  }

  /** Whether the client gets nothing now that it can do without. */
  get isBehind(): boolean {
    return this.#socket.bufferedAmount > manyBytes;
  }

  /** Whether the client has left more unread than a client may. */
  get isSlow(): boolean {
    return this.#socket.bufferedAmount > mostBytes;
  }

  /** Tells a client that has caught up how far the rooms are, and ends the connection of one that does not. */
  catchUp(now: number, epoch: string): void {
    if (!this.isBehind) {
      this.#slowSince = undefined;
      const untold = this.#untold;
      this.#untold = undefined;
      for (const [room, seq] of untold ?? []) this.#push(encodeSignal(room, epoch, seq), 'signal');
      return;
    }
    if (!this.#untold && !this.isSlow) return;
    this.#slowSince ??= now;
    if (now - this.#slowSince > longestSlow) this.end('slow');
  }

  /**
   * Counts a frame of the client, a ping or a pong as well: whether it is within the rate, too much, or not to be looked at, because it is
   * once too often too much or comes after the end.
   */
  admit(now: number): 'fine' | 'excess' | 'nothing' {
    if (this.#isEnding) return this.#stopReading();
    const isWithin = this.#frames.take(1, now);
    if (this.#frames.isMostlyFull) this.#excess = 0;
    if (isWithin) return 'fine';
    this.#excess++;
    return this.#excess > 2 ? this.#stopReading() : 'excess';
  }

  /** Counts bytes of the client, whatever they are: empty parts of a frame that never ends are no frames. */
  countBytes(count: number): void {
    if (!this.#bytes.take(count)) this.#stopReading();
  }

  /** Ends the connection if it has not ended, and leaves what comes, and what has come, to the system's buffers. */
  #stopReading(): 'nothing' {
    this.end('flood');
    this.#socket.pause();
    return 'nothing';
  }

  /** Whether the user is to be shown as typing in a room: as often as that makes sense, and in one room at a time. */
  mayTypeIn(room: string, now: number): boolean {
    if (this.#typing?.room === room && now - this.#typing.at < socketLimits.typingEvery * 1_000) return false;
    this.#typing = { room, at: now };
    return true;
  }

  /** Says why, and closes. */
  end(reason: Farewell): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.isSignedOut = reason === 'ended';
    const { code, ...farewell } = farewells[reason];
    this.send(encode({ type: 'bye', code, reason, ...farewell }));
    // The library ends what takes longer than `longestClose`.
    this.#socket.close(code, reason);
  }

  /** Closes without a word: nobody is there who would read it. */
  terminate(): void {
    this.#socket.terminate();
  }

  #push(frame: EncodedFrame, kind: keyof PushCounts['pushes']): void {
    counts.pushes[kind]++;
    this.send(frame);
  }
}
