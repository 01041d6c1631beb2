import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as requestHttp } from 'node:http';
import { text } from 'node:stream/consumers';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { commands, freePort } from '../../../tools/harness/service.ts';
import { anAccount } from '../../support/accounts.ts';
import { aFile, aPicture } from '../../support/files.ts';
import { type Agent, anAgent, revisions } from '../../support/mcp.ts';
import { aMessage } from '../../support/messages.ts';
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
  const count = Number(process.env.MCP_SENDS ?? 80);
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
    for (const share of process.env.KILLS ? [1, 2, 3] : [1, 3]) {
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
  /*
   * The suite expects a server with test tools of fixed names. A server in between adds the token,
   * and calls a real tool whose result is of the same kind. The other scenarios of version 0.1.16
   * do not apply. They need sessions or streams (logging, progress, sampling, elicitation),
   * resources, prompts or completions, which the service does not claim. Or they need tools that
   * the service does not have: sounds, embedded resources, a schema with `$defs`.
   */
  const scenarios: [scenario: string, tool?: string][] = [
    ['server-initialize'],
    ['ping'],
    ['tools-list'],
    ['tools-call-simple-text', 'list_rooms'],
    ['tools-call-image', 'read_file'],
    ['tools-call-error', 'get_person'],
    ['server-sse-polling'],
    ['server-sse-multiple-streams'],
    ['dns-rebinding-protection'],
  ];
  it('each scenario that applies to a stateless server with tools passes', async () => {
    const port = await freePort();
    const own = `http://127.0.0.1:${port}`;
    // With this setting, the service checks the origins of pages.
    const service = await aService({ CORS_ORIGINS: own }, commands.serve);
    const call = overHttp(service.url);
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const { id: file } = await aFile(ann, room, { bytes: aPicture, name: 'picture.png', type: 'image/png', call });
    await aMessage(ann, room, { files: [file] }, call);
    const argumentsOf: Record<string, object> = { read_file: { file }, get_person: { person: 'nobody-of-this-name' } };
    const server = createServer(async (incoming, response) => {
      const { host: _, 'content-length': __, ...headers } = incoming.headers;
      const sent = await text(incoming);
      const params = { name: tool, arguments: argumentsOf[tool] ?? {} };
      const body = sent.includes('"tools/call"') ? JSON.stringify({ ...JSON.parse(sent), params }) : sent;
      const options = { method: incoming.method ?? 'GET', headers: { ...headers, 'x-auth-token': ann.token } };
      const outgoing = requestHttp(new URL(incoming.url ?? '/', service.url), options, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      outgoing.end(body);
    }).listen(Number(port), '127.0.0.1');
    await once(server, 'listening');
    let tool = '';
    const results = [];
    for (const [scenario, name = ''] of scenarios) {
      tool = name;
      results.push([scenario, await runScenario(scenario, `${own}/api/mcp`)]);
    }
    server.close();
    await service.stop();
    expect(results).toEqual(scenarios.map(([scenario]) => [scenario, 'passes']));
  });

  async function runScenario(scenario: string, url: string): Promise<string> {
    const command = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
    const run = spawn(process.execPath, [command, 'server', '--url', url, '--scenario', scenario]);
    const [output, [code]] = await Promise.all([text(run.stdout), once(run, 'close')]);
    return code === 0 ? 'passes' : output.slice(-2_000);
  }
});
