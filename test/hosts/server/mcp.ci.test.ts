import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { createToken } from '../../../lib/identity/api-tokens.ts';
import { commands } from '../../../tools/harness/service.ts';
import { anAccount } from '../../support/accounts.ts';
import { type Agent, anAgent, revisions } from '../../support/mcp.ts';
import { startProxy } from '../../support/proxy.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { aService, offlineUrl, serveUrl } from '../../support/services.ts';
import { overHttp } from '../../support/transports.ts';

describe.each([
  ['npm run serve', serveUrl],
  ['npm start', offlineUrl],
])('the official client under %s', (_name, findUrl) => {
  it.each(revisions)('lists and calls tools in revision %s', async (revision) => {
    const [{ id, token }, url] = [await anAccount(), await findUrl()];
    const room = await aRoomOf([{ id }]);
    const agent = await anAgent(token, revision, overHttp(url));
    expect((await agent.client.listTools()).tools).toHaveLength(16);
    expect((await agent.use('send_message', { room, text: 'Hello' })).isError).toBe(false);
    expect((await agent.use('read_messages', { room })).structured.messages).toMatchObject([{ text: 'Hello' }]);
  });
});

describe('messages of an agent while connections break and the server is killed', () => {
  const count = Number(process.env.MCP_SENDS ?? 120);
  const atOnce = 8;

  it.each([
    ['with keys', (at: number) => ({ key: `message-${at}` })],
    ['without keys', () => ({})],
  ])('each message that is sent %s, and repeated until it is answered, is there once', async (_how, keyOf) => {
    const { id, token } = await anAccount();
    const room = await aRoomOf([{ id }]);
    const start = () => aService({ RATE_LIMITS: 'off' }, commands.serve);
    let service = await start();
    const proxy = await startProxy(new URL(service.url).host);
    proxy.cut(0.1);
    const call = overHttp(`http://127.0.0.1:${proxy.port}`);
    let agent: Agent | undefined;
    const send = async (at: number) => {
      for (;;) {
        try {
          agent ??= await anAgent(token, '2026-07-28', call);
          const { isError, structured } = await agent.use('send_message', { room, text: `Number ${at}`, ...keyOf(at) });
          if (!isError) return structured.message.id as string;
        } catch {
          // The connection was cut, or the server is gone. A client calls again.
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    };
    const sent: string[] = [];
    let next = 0;
    const work = async () => {
      while (next < count) sent.push(await send(next++));
    };
    const working = Promise.all(Array.from({ length: atOnce }, work));
    for (const share of [1, 2, 3]) {
      await expect.poll(() => sent.length, { timeout: 120_000 }).toBeGreaterThan((count * share) / 4);
      service.signal('SIGKILL');
      await service.ended;
      service = await start();
      proxy.aim(new URL(service.url).host);
    }
    await working;
    const stored = await messages.find({ room: new ObjectId(room) }).toArray();
    expect(stored.map(({ text }) => text).sort()).toEqual(Array.from({ length: count }, (_, at) => `Number ${at}`).sort());
    expect(stored.map(({ _id }) => _id.toHexString()).sort()).toEqual(sent.toSorted());
    await service.stop();
    await proxy.close();
  });
});

describe('the public conformance suite', () => {
  /** Scenarios for a stateless server with tools. The others need the tools of a test server. */
  const scenarios = ['server-initialize', 'ping', 'tools-list'];

  const servers: { close: () => void }[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  /** The suite sends no tokens: a server in between adds one. */
  async function withToken(url: string, token: string): Promise<string> {
    const server = createServer((incoming, response) => {
      const { host: _, ...headers } = incoming.headers;
      const options = { method: incoming.method ?? 'GET', headers: { ...headers, 'x-auth-token': token } };
      const outgoing = requestHttp(new URL(incoming.url ?? '/', url), options, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(outgoing);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/mcp`;
  }

  it.each(scenarios)('scenario %s passes', async (scenario) => {
    const { id } = await anAccount();
    const { token } = await createToken(new ObjectId(id), 'conformance');
    const url = await withToken(await serveUrl(), token);
    const command = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
    const run = spawn(process.execPath, [command, 'server', '--url', url, '--scenario', scenario]);
    const [output, [code]] = await Promise.all([text(run.stdout), once(run, 'close')]);
    expect([output.slice(-2_000), code]).toEqual([expect.any(String), 0]);
  });
});
