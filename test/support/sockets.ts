import { readFileSync } from 'node:fs';
import { type AnySchema, Ajv2020 as Validator } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { startServer } from '../../hosts/server/server.ts';
import type { Event } from '../../lib/feed/events.ts';
import type { ServerFrame } from '../../lib/push/frames.ts';
import type { Ticket } from '../../lib/push/tickets.ts';
import type { Account } from './accounts.ts';
import { type Call, overHttp } from './transports.ts';

/** A frame of one type. */
export type Frame<Type extends ServerFrame['type'] = ServerFrame['type']> = ServerFrame & { type: Type };

/** A connection that a test has opened. */
export type TestSocket = {
  /** All frames so far. Each was compared with the AsyncAPI document. */
  frames: ServerFrame[];
  /** The frames of one type, optionally of one room. */
  of: <Type extends ServerFrame['type']>(type: Type, room?: string) => Frame<Type>[];
  /** The events of a room, in the order of arrival. */
  events: (room: string) => Event[];
  send: (frame: unknown) => void;
  /** The client itself. */
  socket: WebSocket;
  /** Resolves to the code of its closure. */
  closed: Promise<number>;
};

/**
 * Starts a server in this process. It looks for lost notices every `sweep` milliseconds, and gets
 * the notices of this process immediately.
 */
export async function aServer({ sweep = 3_600_000, maxConnections = 1_000, presence = true, presenceTimes = {} } = {}) {
  const address = { host: '127.0.0.1', port: 0, trustProxy: 0, maxConnections };
  const server = await startServer({ ...address, sweep, presence, presenceTimes });
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}

/** Gets a ticket like a browser. */
export async function aTicket(url: string, { token }: Pick<Account, 'token'>, call: Call = overHttp(url)): Promise<Ticket> {
  const { status, body } = await call('POST', '/api/tickets', { token, body: {} });
  expect(status).toBe(201);
  return body as Ticket;
}

/** Opens a connection for an account with a ticket, and sends a hello. */
export async function connected(
  url: string,
  account: Pick<Account, 'token'>,
  hello: object = {},
  call?: Call,
): Promise<TestSocket> {
  const { url: path, ticket } = await aTicket(url, account, call);
  const opened = await open(url, ['chat.v1', `ticket.${ticket}`], { path });
  opened.send({ type: 'hello', ...hello });
  await expect.poll(() => opened.of('hello')).toHaveLength(1);
  return opened;
}

type Handshake = { headers?: Record<string, string>; path?: string };

/** Opens a connection without sending anything. Rejects with the status if it is refused. */
export async function open(url: string, protocols: string[], { headers = {}, path = '/socket' }: Handshake = {}) {
  const address = new URL(path, url);
  address.protocol = address.protocol.replace('http', 'ws');
  const socket = new WebSocket(address, protocols, { headers });
  const frames: ServerFrame[] = [];
  const faults: string[] = [];
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString());
    faults.push(...faultsOf(frame));
    frames.push(frame);
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_request, { statusCode }) => {
      socket.on('error', () => undefined);
      socket.terminate();
      reject(new Error(`refused with ${statusCode}`));
    });
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);

  const of = <Type extends ServerFrame['type']>(type: Type, room?: string) => {
    expect(faults).toEqual([]);
    const isIn = (frame: ServerFrame) => room === undefined || ('room' in frame && frame.room.$oid === room);
    return frames.filter((frame): frame is Frame<Type> => frame.type === type && isIn(frame));
  };
  return {
    frames,
    of,
    events: (room: string) => of('room', room).flatMap(({ events = [] }) => events),
    send: (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    socket,
    closed,
  } satisfies TestSocket;
}

const document: AnySchema & { components: { schemas: Record<string, unknown> } } = JSON.parse(
  readFileSync(new URL('../../docs/asyncapi.json', import.meta.url), 'utf8'),
);
const validator = new Validator({ strict: false });
addFormats.default(validator);
validator.addSchema(document, 'asyncapi');

/** The violations of the AsyncAPI document in a frame from this side. */
export function faultsOf(frame: { type?: string }, side = 'server'): string[] {
  const name = `asyncapi#/components/messages/${side}.${frame.type}/payload`;
  const validate = validator.getSchema(name);
  if (!validate) return [`${JSON.stringify(frame)}: unknown`];
  return validate(frame) ? [] : [`${JSON.stringify(frame)}: ${validator.errorsText(validate.errors)}`];
}
