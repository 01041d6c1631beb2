import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionOf } from '../src/connection.ts';

/** A WebSocket whose other side is controlled by the test. */
class Line {
  static readonly all: Line[] = [];
  readonly sent: string[] = [];
  readyState: number = WebSocket.OPEN;
  onopen?: () => void;
  onclose?: (event: { code: number }) => void;
  onmessage?: (event: { data: string }) => void;

  constructor() {
    Line.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text).type);
  }

  close(): void {}

  hear(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

const now = { $date: '2026-11-21T09:04:12.345Z' };

const hello = { type: 'hello', connection: 'x', ping: 50, now, epoch: '0' };

/** An open connection, and the notifications of its listener. */
async function opened({ presence = false } = {}) {
  const client = { POST: async () => ({ data: { url: '/socket', ticket: 'x' } }) };
  const settings = { baseUrl: 'http://localhost', WebSocket: Line as unknown as typeof WebSocket };
  const connection = connectionOf(client as never, settings);
  const told: string[] = [];
  const leave = connection.join({
    connected: () => told.push('connected'),
    disconnected: () => told.push('disconnected'),
    heard: () => {},
  });
  await vi.advanceTimersByTimeAsync(0);
  const line = Line.all.at(-1) as Line;
  line.onopen?.();
  line.hear({ ...hello, presence });
  return { connection, told, line, leave };
}

beforeEach(() => {
  Line.all.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('a connection that has silently ended', () => {
  it('a connection that has silently ended is noticed within ten seconds of a check, and is replaced', async () => {
    const { connection, told, line, leave } = await opened();
    connection.check();
    expect(line.sent).toEqual(['hello', 'ping']);
    await vi.advanceTimersByTimeAsync(9_999);
    expect([told, Line.all.length]).toEqual([['connected', 'disconnected'], 2]);
    leave();
  });

  it('a connection that has silently ended is noticed immediately by a check if its last ping has had no answer for ten seconds', async () => {
    const { connection, told, leave } = await opened();
    await vi.advanceTimersByTimeAsync(50_000 + 5_001);
    expect(told).toEqual(['connected']);
    connection.check();
    await vi.advanceTimersByTimeAsync(1);
    expect([told, Line.all.length]).toEqual([['connected', 'disconnected'], 2]);
    leave();
  });

  it('a connection that answers is not taken for one that has silently ended', async () => {
    const { connection, told, line, leave } = await opened();
    connection.check();
    await vi.advanceTimersByTimeAsync(4_000);
    line.hear({ type: 'pong', id: 1, now, epoch: '0', rooms: [], more: false });
    await vi.advanceTimersByTimeAsync(20_000);
    expect([told, Line.all.length]).toEqual([['connected'], 1]);
    leave();
  });
});

it('a client sends nothing to a connection that is closing', async () => {
  const { connection, line, leave } = await opened({ presence: true });
  line.readyState = WebSocket.CLOSING;
  connection.watch(['a']);
  connection.active();
  connection.typing('x');
  connection.check();
  expect(line.sent).toEqual(['hello']);
  leave();
});

describe('the presence of the people that a client watches', () => {
  it('a client asks who is active again after each new connection, and says that it is active once a minute at most', async () => {
    const { connection, line, leave } = await opened({ presence: true });
    connection.watch(['a']);
    connection.active();
    connection.active();
    await vi.advanceTimersByTimeAsync(49_000);
    connection.active();
    expect(line.sent).toEqual(['hello', 'watch', 'active']);
    await vi.advanceTimersByTimeAsync(1_000);
    line.hear({ type: 'pong', id: 1, now, epoch: '0', rooms: [], more: false });
    await vi.advanceTimersByTimeAsync(10_000);
    connection.active();
    expect(line.sent).toEqual(['hello', 'watch', 'active', 'ping', 'active']);
    line.onclose?.({ code: 1006 });
    await vi.advanceTimersByTimeAsync(2_000);
    const next = Line.all.at(-1) as Line;
    next.onopen?.();
    next.hear({ ...hello, presence: true });
    connection.active();
    expect(next.sent).toEqual(['hello', 'watch', 'active']);
    leave();
  });

  it('a client neither asks for nor reports presence if the service has turned it off', async () => {
    const { connection, line, leave } = await opened();
    connection.watch(['a']);
    connection.active();
    expect(line.sent).toEqual(['hello']);
    leave();
  });
});
