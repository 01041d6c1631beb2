import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** A request that an attacker repeats. */
export type RepeatedRequest = { method: string; path: string; token?: string; body?: string };

/**
 * The actions of an attacker until it is stopped: requests as fast as they are answered, or idle
 * connections.
 */
export type Attack = { connections: number } & (
  | { kind: 'requests'; requests: RepeatedRequest[] }
  /** Each connection sends these bytes, then neither sends nor reads. */
  | { kind: 'connections'; sent: string; bytes: number }
  /**
   * Each connection opens a WebSocket with this token and sends this hexadecimal frame as fast as
   * possible. It reconnects when it is closed.
   */
  | { kind: 'sockets'; token: string; frame: string }
);

/** The number of responses by status, or of failures by error. */
export type Answers = Record<string, number>;

/*
 * A process that attacks a service, so that it does not slow the event loop of the measuring
 * process.
 */

const answers: Answers = {};
const sockets = new Set<Socket>();
let isStopped = false;

process.on('message', (message: { url: string; attack: Attack } | 'stop') => {
  if (message === 'stop') stop();
  else start(message.url, message.attack);
});

function start(url: string, attack: Attack): void {
  if (attack.kind === 'requests') repeat(url, attack.requests, attack.connections);
  else if (attack.kind === 'sockets') for (let at = 0; at < attack.connections; at++) flood(url, attack);
  else open(url, attack);
}

function stop(): void {
  isStopped = true;
  for (const socket of sockets) socket.destroy();
  process.send?.(answers, () => process.exit(0));
}

function repeat(url: string, requests: RepeatedRequest[], connections: number): void {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let sent = 0;
  const next = async (): Promise<void> => {
    while (!isStopped) {
      const answer = await send(url, requests[sent++ % requests.length] as RepeatedRequest, agent);
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  };
  for (let at = 0; at < connections; at++) void next();
}

const send = (url: string, { method, path, token, body }: RepeatedRequest, agent: Agent): Promise<string> =>
  new Promise((resolve) => {
    const headers = { ...(token && { 'X-Auth-Token': token }), ...(body && { 'Content-Type': 'application/json' }) };
    request(new URL(path, url), { method, headers, agent }, (response) => {
      response.resume().once('close', () => resolve(String(response.statusCode)));
    })
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .end(body);
  });

function flood(url: string, attack: Extract<Attack, { kind: 'sockets' }>): void {
  if (isStopped) return;
  const { hostname, port } = new URL(url);
  const fields = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: chat.v1'];
  const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`;
  const frames = Buffer.from(attack.frame.repeat(10_000), 'hex');
  const socket = connect(Number(port), hostname);
  socket.write(`GET /socket HTTP/1.1\r\nHost: a\r\nX-Auth-Token: ${attack.token}\r\n${[...fields, key].join('\r\n')}\r\n\r\n`);
  socket.on('error', () => undefined);
  socket.once('data', (data) => {
    const answer = data.toString().slice(9, 12);
    answers[answer] = (answers[answer] ?? 0) + 1;
    if (answer !== '101' || frames.length === 0) return void socket.destroy();
    const send = () => {
      while (!socket.destroyed && socket.write(frames));
    };
    socket.on('drain', send);
    socket.resume();
    send();
  });
  socket.once('close', () => {
    sockets.delete(socket);
    flood(url, attack);
  });
  sockets.add(socket);
}

function open(url: string, { connections, sent, bytes }: Extract<Attack, { kind: 'connections' }>): void {
  const { hostname, port } = new URL(url);
  const padding = Buffer.alloc(bytes, 'x');
  for (let at = 0; at < connections; at++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      answers[code] = (answers[code] ?? 0) + 1;
    });
    socket.pause();
    if (sent) socket.write(sent);
    if (bytes > 0) socket.write(padding);
    sockets.add(socket);
  }
}
