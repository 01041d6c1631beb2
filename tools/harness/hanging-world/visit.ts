import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HangingTown } from './town.ts';

/** A response to the visitor, and its total time. Status 0 means that no response arrived. */
export type VisitAnswer = { kind: string; status: number; milliseconds: number };

/** The requests of a user, and of a monitoring program. */
export const kinds = ['send', 'read', 'feed', 'account', 'page', 'health'] as const;

/** Sends each kind of request once, in sequence. */
export async function visitOnce(url: string, { visitor, ownRoom: room }: HangingTown, agent: Agent): Promise<VisitAnswer[]> {
  const requests: Record<(typeof kinds)[number], [method: string, path: string, body?: object]> = {
    send: ['POST', '/api/messages', { room, text: 'Good morning' }],
    read: ['GET', `/api/messages?room=${room}&limit=20`],
    feed: ['GET', `/api/events?room=${room}`],
    account: ['GET', '/api/users/me'],
    page: ['GET', '/'],
    health: ['GET', '/api/health'],
  };
  const answers: VisitAnswer[] = [];
  for (const kind of kinds) {
    const [method, path, body] = requests[kind];
    const since = performance.now();
    const status = await ask(new URL(path, url), { method, body, agent, token: visitor.token, source: visitor.source });
    answers.push({ kind, status, milliseconds: performance.now() - since });
  }
  return answers;
}

type VisitRequest = { method: string; body: object | undefined; agent: Agent; token: string; source: string };

const ask = (url: URL, { method, body, agent, token, source }: VisitRequest): Promise<number> =>
  new Promise((resolve) => {
    const headers = { 'X-Auth-Token': token, ...(body && { 'Content-Type': 'application/json' }) };
    request(url, { method, headers, agent, localAddress: source }, (response) => {
      response.resume().once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
    })
      .once('error', () => resolve(0))
      .end(body && JSON.stringify(body));
  });

/** Starts a visit every `periodMs` until `durationMs` is over. Visits may overlap. */
export async function visitFor(
  url: string,
  town: HangingTown,
  { durationMs, periodMs }: { durationMs: number; periodMs: number },
) {
  const agent = new Agent({ keepAlive: true });
  const visits: Promise<VisitAnswer[]>[] = [];
  for (const until = performance.now() + durationMs; performance.now() < until; await delay(periodMs))
    visits.push(visitOnce(url, town, agent));
  const answers = (await Promise.all(visits)).flat();
  agent.destroy();
  return answers;
}
