import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { PresentPerson } from '../../../lib/notices/notices.ts';
import { type EncodedFrame, encode, encodeSignal } from '../../../lib/push/encode.ts';
import { type Farewell, farewells, socketLimits } from '../../../lib/push/frames.ts';
import { frameOfLeaving } from '../../../lib/push/frames-for.ts';
import { config } from '../../../lib/settings/config.ts';
import { Bucket } from './bucket.ts';
import { counts, type PushCounts } from './counts.ts';

/**
 * Unread bytes of a client above which it gets no ephemeral frames, and above which it gets no
 * events.
 */
const manyBytes = 64 * 1024;
const mostBytes = 256 * 1024;

/** Milliseconds that closing a connection may take. */
export const longestClose = 2_000;

/** The most bytes before the payload of a client's frame. */
const largestHead = 14;

const textual = { binary: false };

/** One WebSocket, with the state of its client. */
export class Connection {
  readonly id = randomBytes(9).toString('base64url');
  /** The id of the token that opened it. */
  readonly token: string;
  /**
   * True after the client's hello: it receives news. `wantsEvents` is false if it wants only
   * signals.
   */
  isGreeted = false;
  wantsEvents = true;
  /** Time of the client's last frame except pings and pongs, by `performance.now()`. */
  heardAt = performance.now();
  /** The users whose presence the client watches, with the state last sent. */
  watched = new Map<string, PresentPerson['state'] | undefined>();
  readonly #socket: WebSocket;
  readonly #frames = new Bucket(socketLimits.framesPerMinute);
  readonly #bytes = new Bucket(socketLimits.framesPerMinute * (socketLimits.frame + largestHead));
  #excess = 0;
  /** Positions of the rooms that a slow client was not notified of. */
  #untold: Map<string, number> | undefined;
  #slowSince: number | undefined;
  #isEnding = false;
  /** True if it is ending because its token has ended. */
  isSignedOut = false;
  #typing: { room: string; at: number } | undefined;

  constructor(socket: WebSocket, token: string) {
    this.#socket = socket;
    this.token = token;
  }

  /** Sends a response, or a frame that must not be lost. */
  send(frame: EncodedFrame): void {
    this.#socket.send(frame, textual);
  }

  /** Sends the news of a room up to `seq`. A slow client gets only the room's position, later. */
  sendNews(room: string, seq: number, frames: EncodedFrame[], kind: 'events' | 'signal'): void {
    if (this.#untold || this.isSlow) {
      this.#untold ??= new Map();
      this.#untold.set(room, seq);
      counts.dropped.events++;
      return;
    }
    for (const frame of frames) this.#push(frame, kind);
  }

  /** Sends a frame that may be lost. It is dropped if the client is slow. */
  sendEphemeral(frame: EncodedFrame, kind: 'typing' | 'read' | 'presence'): void {
    if (this.isBehind) counts.dropped.ephemeral++;
    else this.#push(frame, kind);
  }

  /** Notifies the client that the user has left a room. */
  sendLeft(room: string): void {
    this.#untold?.delete(room);
    this.#push(encode(frameOfLeaving(room)), 'left');
  }

  /** True if ephemeral frames are dropped at the moment. */
  get isBehind(): boolean {
    return this.#socket.bufferedAmount > manyBytes;
  }

  /** True if the client has more unread bytes than allowed. */
  get isSlow(): boolean {
    return this.#socket.bufferedAmount > mostBytes;
  }

  /**
   * Sends the pending positions of rooms to a client that has caught up. Ends the connection of a
   * client that stays slow.
   */
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
    if (now - this.#slowSince > config.patienceMs.slowClient) this.end('slow');
  }

  /**
   * Counts a frame of the client, including pings and pongs. The result 'excess' means above the
   * rate. The result 'nothing' means that the frame must be ignored: the client was in excess
   * repeatedly, or the connection is ending.
   */
  admit(now: number): 'fine' | 'excess' | 'nothing' {
    if (this.#isEnding) return this.#stopReading();
    const isWithin = this.#frames.take(1, now);
    if (this.#frames.isMostlyFull) this.#excess = 0;
    if (isWithin) return 'fine';
    this.#excess++;
    return this.#excess > 2 ? this.#stopReading() : 'excess';
  }

  /**
   * Counts bytes of the client in addition to frames: a frame that never ends could have endless
   * empty fragments.
   */
  countBytes(count: number): void {
    if (!this.#bytes.take(count)) this.#stopReading();
  }

  /** Ends the connection and stops reading from its socket. */
  #stopReading(): 'nothing' {
    this.end('flood');
    this.#socket.pause();
    return 'nothing';
  }

  /**
   * True if a typing notification of the user is due. It is limited in rate, and to one room at a
   * time.
   */
  mayTypeIn(room: string, now: number): boolean {
    if (this.#typing?.room === room && now - this.#typing.at < socketLimits.typingEvery * 1_000) return false;
    this.#typing = { room, at: now };
    return true;
  }

  /** Sends the reason and closes the connection. */
  end(reason: Farewell): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.isSignedOut = reason === 'ended';
    const { code, ...farewell } = farewells[reason];
    this.send(encode({ type: 'bye', code, reason, ...farewell }));
    // The library terminates the connection after `longestClose`.
    this.#socket.close(code, reason);
  }

  /** Closes without a farewell, because the client is gone. */
  terminate(): void {
    this.#socket.terminate();
  }

  #push(frame: EncodedFrame, kind: keyof PushCounts['pushes']): void {
    counts.pushes[kind]++;
    this.send(frame);
  }
}
