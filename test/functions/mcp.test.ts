import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import type { Scope } from '../../lib/api/scopes.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { sentTexts } from '../../lib/collections/rooms/sent-texts.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { pushedMessage } from '../../lib/notifications/pushed-message.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { withConfig } from '../support/config.ts';
import { aFile } from '../support/files.ts';
import { anAgent, revisions } from '../support/mcp.ts';
import { aMessage } from '../support/messages.ts';
import { addMember, aRoom, aRoomOf } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const twoPeople = async (): Promise<[Account, Account, string]> => {
  const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
  return [ann, bob, await aRoomOf([ann, bob])];
};

describe.each(revisions)('an agent that speaks MCP %s', (revision) => {
  it('the official client lists every tool with truthful hints', async () => {
    const { client } = await anAgent((await anAccount()).token, revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_rooms',
      'catch_up',
      'read_messages',
      'read_thread',
      'search_messages',
      'find_people',
      'get_person',
      'read_file',
      'send_message',
      'edit_message',
      'delete_message',
      'react',
      'mark_read',
      'remind_me',
      'ask',
      'read_answer',
    ]);
    const hintsOf = (wanted: string) => tools.find(({ name }) => name === wanted)?.annotations;
    expect(hintsOf('read_messages')).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false });
    expect(hintsOf('delete_message')).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  });

  it('an agent sends a message to a room, and reads it there', async () => {
    const [ann, bob, room] = await twoPeople();
    const agent = await anAgent(ann.token, revision);
    const sent = await agent.use('send_message', { room, text: 'The build is green.' });
    expect(sent).toMatchObject({ isError: false, structured: { is_repeated: false, message: { text: 'The build is green.' } } });
    const reader = await anAgent(bob.token, revision);
    const { structured, text } = await reader.use('read_messages', { room, unread: true });
    expect(structured.messages).toMatchObject([{ text: 'The build is green.', author: { username: ann.username } }]);
    expect(text).toContain('The build is green.');
  });

  it('an agent catches up with unread messages, mentions first', async () => {
    const [ann, bob, quiet] = await twoPeople();
    const loud = await aRoomOf([ann, bob]);
    await aMessage(bob, loud, { text: `Hello @${ann.username}` });
    await aMessage(bob, quiet, { text: 'Anybody here?' });
    const { structured } = await (await anAgent(ann.token, revision)).use('catch_up');
    expect(structured.rooms.map(({ room }: { room: { id: string } }) => room.id)).toEqual([loud, quiet]);
    expect(structured.rooms[0].messages).toMatchObject([{ mentions_me: true }]);
  });

  it('a tool that refuses says why, by the code of the API', async () => {
    const [ann] = await twoPeople();
    const agent = await anAgent(ann.token, revision);
    const refused = await agent.use('send_message', { room: 'f'.repeat(24), text: 'Hello' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^room_not_found: /) });
  });
});

describe.each(revisions)('the tools of an agent that speaks MCP %s', (revision) => {
  it('every tool can be called', async () => {
    const [ann, bob, room] = await twoPeople();
    const agent = await anAgent(ann.token, revision);
    const use = async (name: string, args: object) => {
      const { isError, structured, text } = await agent.use(name, { ...args });
      expect([name, isError, isError ? text : '']).toEqual([name, false, '']);
      return structured;
    };
    const question = await aMessage(bob, room, { text: 'Is the build green?' });
    const { id: file } = await aFile(bob, room, { bytes: 'Line 1\nLine 2\n', name: 'build.log' });
    await aMessage(bob, room, { files: [file] });
    expect(await use('list_rooms', {})).toMatchObject({ rooms: [{ id: room, kind: 'room', unread: 2 }] });
    expect(await use('catch_up', {})).toMatchObject({ unread_rooms: 1, rooms: [{ left_out: 0 }] });
    expect((await use('read_messages', { room: 'test' })).messages).toHaveLength(2);
    const { message } = await use('send_message', { thread: question._id.$oid, text: 'It is.' });
    expect(await use('read_thread', { message: message.id })).toMatchObject({
      root: { id: question._id.$oid, reply_count: 1 },
      messages: [{ text: 'It is.' }],
    });
    const { messages } = await use('search_messages', { q: 'build', from: bob.username });
    expect(messages.map(({ id }: { id: string }) => id)).toContain(question._id.$oid);
    expect(await use('find_people', { q: bob.username })).toMatchObject({ people: [{ id: bob.id }] });
    expect(await use('get_person', { person: bob.username })).toMatchObject({ person: { id: bob.id, username: bob.username } });
    expect(await use('read_file', { file })).toMatchObject({ name: 'build.log', text: 'Line 1\nLine 2\n' });
    const edited = await use('edit_message', { message: message.id, text: 'It is green.' });
    expect(edited.message).toMatchObject({ text: 'It is green.', is_edited: true });
    expect((await use('react', { message: question._id.$oid, emoji: '👍' })).message).toMatchObject({ reactions: ['👍 1'] });
    expect((await use('react', { message: question._id.$oid, emoji: '👍', remove: true })).message.reactions).toBeUndefined();
    expect(await use('mark_read', { room })).toMatchObject({ room, unread: 0 });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    expect(await use('remind_me', { message: question._id.$oid, at })).toEqual({ message: question._id.$oid, remind_at: at });
    expect(await use('delete_message', { message: message.id })).toEqual({ id: message.id });
    expect((await use('send_message', { person: bob.username, text: 'Hello' })).message.room).not.toBe(room);
  });

  it('a token without a scope to write lists no tool that writes, and writes by none', async () => {
    const [ann, bob, room] = await twoPeople();
    const { _id } = await aMessage(bob, room);
    const scopes: Scope[] = ['rooms:read', 'members:read', 'messages:read'];
    const { client, use } = await anAgent((await createToken(new ObjectId(ann.id), 'reader', { scopes })).token, revision);
    const { tools } = await client.listTools();
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    const message = _id.$oid;
    const calls: Record<string, object> = {
      send_message: { room, text: 'Hello' },
      edit_message: { message, text: 'Hello' },
      delete_message: { message },
      react: { message, emoji: '👍' },
      mark_read: { room },
      remind_me: { message, at: new Date(Date.now() + 3_600_000).toISOString() },
    };
    for (const [name, args] of Object.entries(calls))
      expect([name, await use(name, { ...args })]).toMatchObject([
        name,
        { isError: true, text: expect.stringMatching(/^scope_required/) },
      ]);
    expect((await use('read_messages', { room })).structured.messages).toHaveLength(1);
  });

  it('a banned member reads nothing by any tool', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann });
    const member = await addMember(room, bob);
    const { _id } = await aMessage(ann, room.id, { text: 'a secret' });
    const { id: file } = await aFile(ann, room.id, { bytes: 'a secret' });
    await aMessage(ann, room.id, { files: [file] });
    const agent = await anAgent(bob.token, revision);
    expect((await agent.use('search_messages', { q: 'secret' })).text).toContain('a secret');
    expect((await call('DELETE', `/api/members/${member}?ban=true`, { token: ann.token })).status).toBe(204);
    const message = _id.$oid;
    const calls: [string, Record<string, unknown>][] = [
      ['list_rooms', {}],
      ['catch_up', {}],
      ['read_messages', { room: room.id }],
      ['read_messages', { room: 'General' }],
      ['read_thread', { message }],
      ['search_messages', { q: 'secret' }],
      ['search_messages', { q: 'secret', room: room.id }],
      ['search_messages', { mentions_me: true }],
      ['find_people', { q: 'user', room: room.id }],
      ['read_file', { file }],
      ['send_message', { room: room.id, text: 'Hello' }],
      ['send_message', { thread: message, text: 'Hello' }],
      ['edit_message', { message, text: 'Hello' }],
      ['delete_message', { message }],
      ['react', { message, emoji: '👍' }],
      ['mark_read', { room: room.id }],
      ['remind_me', { message, at: new Date(Date.now() + 3_600_000).toISOString() }],
    ];
    for (const [name, args] of calls) {
      const { text, structured } = await agent.use(name, args);
      const said = text + JSON.stringify(structured ?? {});
      expect([name, said.includes('a secret'), said.includes(ann.id), said.includes('General')]).toEqual([
        name,
        false,
        false,
        false,
      ]);
    }
  });

  it('a call that is repeated with its key, or without one within a minute, sends one message and says so', async () => {
    const [ann, , room] = await twoPeople();
    const agent = await anAgent(ann.token, revision);
    const send = async (args: object) => {
      const { structured, text } = await agent.use('send_message', { room, ...args });
      return [structured.message.id, structured.is_repeated, /Nothing was sent now/.test(text)];
    };
    const [keyed] = await send({ text: 'one', key: 'k1' });
    expect(await send({ text: 'one', key: 'k1' })).toEqual([keyed, true, true]);
    const twice = await Promise.all([send({ text: 'two' }), send({ text: 'two' })]);
    expect(twice.map(([, isRepeated]) => isRepeated).sort()).toEqual([false, true]);
    expect(new Set(twice.map(([id]) => id)).size).toBe(1);
    expect(await send({ text: 'two', key: 'k2' })).toMatchObject([expect.not.stringMatching(twice[0]?.[0]), false, false]);
    await sentTexts.updateMany({}, { $set: { at: new Date(Date.now() - 61_000) } });
    expect((await send({ text: 'two' }))[1]).toBe(false);
  });

  it('a result of long messages has at most 100 kB, and a cursor for the rest', async () => {
    const [ann, bob, room] = await twoPeople();
    for (let count = 0; count < 12; count++) await aMessage(bob, room, { text: `${count} ${'ü'.repeat(9_000)}` });
    const agent = await anAgent(ann.token, revision);
    const found: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 20; pages++) {
      const place = cursor === undefined ? { unread: true } : { cursor };
      const { text, structured } = await agent.use('read_messages', { room, ...place });
      expect(Buffer.byteLength(JSON.stringify([text, structured]))).toBeLessThan(101_000);
      found.push(...structured.messages.map((message: { text: string }) => message.text.split(' ')[0]));
      cursor = structured.next_cursor;
      if (cursor === undefined) break;
    }
    expect(found).toEqual(Array.from({ length: 12 }, (_, count) => String(count)));
    expect(Buffer.byteLength(JSON.stringify(await agent.use('catch_up')))).toBeLessThan(101_000);
  });
});

describe('messages of agents', () => {
  const anAgentToken = async ({ id }: Account, name: string) =>
    (await createToken(new ObjectId(id), name, { scopes: ['messages:read', 'messages:write', 'members:read'], isAgent: true }))
      .token;

  it('show the name of the token, by MCP and by HTTP', async () => {
    const [ann, bob, room] = await twoPeople();
    const body = {
      name: 'Claude Code',
      scopes: ['messages:write', 'messages:read'],
      is_agent: true,
      current_password: ann.password,
    };
    const made = await call('POST', '/api/tokens', { token: ann.token, body });
    expect(made).toMatchObject({ status: 201, body: { is_agent: true } });
    const { token } = made.body as { token: string };
    const { structured } = await (await anAgent(token)).use('send_message', { room, text: 'by MCP' });
    expect(structured.message).toMatchObject({ via: 'Claude Code', author: { username: ann.username } });
    const byHttp = await aMessage({ token }, room, { text: 'by HTTP' });
    expect(byHttp).toMatchObject({ via: 'Claude Code' });
    expect(pushedMessage({ name: 'Builds' }, byHttp, commandLine).author).toBe(`${ann.username} via Claude Code`);
    expect(await aMessage(ann, room, { text: 'by hand' })).not.toHaveProperty('via');
    const { body: events } = await call('GET', `/api/events?room=${room}&after=0`, { token: bob.token });
    const sent = (events as { type: string; data?: { via?: string } }[]).flatMap(({ type, data }) =>
      type === 'message.created' ? [data?.via] : [],
    );
    expect(sent).toEqual(['Claude Code', 'Claude Code', undefined]);
  });

  it('two agents that answer each other stop, until a person writes', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const { body } = await call('POST', '/api/conversations', { token: ann.token, body: { users: [bob.username] } });
    const room = (body as { _id: { $oid: string } })._id.$oid;
    const agents = await Promise.all([anAgentToken(ann, 'a'), anAgentToken(bob, 'b')]);
    const say = async (turn: number) =>
      call('POST', '/api/messages', { token: agents[turn % 2], body: { room, text: `Thank you, too! ${turn}` } });
    const statuses = [];
    for (let turn = 0; turn < 12; turn++) statuses.push((await say(turn)).status);
    expect(statuses).toEqual([...Array(8).fill(201), ...Array(4).fill(409)]);
    expect(await say(0)).toMatchObject({ status: 409, body: { code: 'bots_alone' } });
    await aMessage(bob, room, { text: 'Go on.' });
    expect((await say(0)).status).toBe(201);
  });

  it('agents that have answered each other may go on after ten minutes', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const thread = (await aMessage(ann, room))._id.$oid;
    const agents = await Promise.all([anAgentToken(ann, 'a'), anAgentToken(bob, 'b')]);
    const reply = (turn: number) =>
      call('POST', '/api/messages', { token: agents[turn % 2], body: { room, thread, text: `Answer ${turn}` } });
    for (let turn = 0; turn < 8; turn++) expect((await reply(turn)).status).toBe(201);
    expect((await reply(8)).status).toBe(409);
    const earlier = { $set: { created_at: { $add: ['$created_at', -601_000] } } };
    await messages.unscoped.updateMany({ room: new ObjectId(room) }, [earlier]);
    expect((await reply(8)).status).toBe(201);
  });

  it('one agent alone may report in a thread as often as it likes', async () => {
    const [ann, , room] = await twoPeople();
    const thread = (await aMessage(ann, room))._id.$oid;
    const token = await anAgentToken(ann, 'reports');
    for (let count = 0; count < 10; count++) await aMessage({ token }, room, { text: `${count} %`, thread });
  });
});

describe('pages that call POST /api/mcp', () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const statusFor = async (origin: string) => {
    const { token } = await anAccount();
    return (await call('POST', '/api/mcp', { token, body, headers: { origin, host: 'chat.example.org' } })).status;
  };

  it('pages of an origin outside CORS_ORIGINS are refused, with any Host header', async () => {
    await withConfig({ CORS_ORIGINS: 'https://tools.example.org', PUBLIC_URL: 'https://chat.example.org' }, async () => {
      const { token } = await anAccount();
      const headers = { origin: 'http://evil.example.com', host: 'evil.example.com' };
      const refused = await call('POST', '/api/mcp', { token, body, headers });
      expect(refused).toMatchObject({ status: 403, body: { code: 'foreign_origin' } });
      expect(await statusFor('https://tools.example.org')).toBe(200);
      expect(await statusFor('https://chat.example.org')).toBe(200);
    });
  });

  it('by default pages of every origin may call, with the headers of the protocol', async () => {
    expect(await statusFor('https://anywhere.example.org')).toBe(200);
    const { headers } = await call('OPTIONS', '/api/mcp', {});
    expect(headers['access-control-allow-headers']).toContain('Mcp-Protocol-Version');
  });
});

describe('the setting MCP', () => {
  const calls = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('with MCP=off every request is refused', async () => {
    const { token } = await anAccount();
    await withConfig({ MCP: 'off' }, async () => {
      expect(await call('POST', '/api/mcp', { token, body: calls })).toMatchObject({ status: 403, body: { code: 'mcp_off' } });
    });
  });

  it('with MCP=read agents read, and change nothing', async () => {
    const [ann, , room] = await twoPeople();
    const agent = await anAgent(ann.token);
    await withConfig({ MCP: 'read' }, async () => {
      const { tools } = await agent.client.listTools();
      expect(tools.map(({ name }) => name)).not.toContain('send_message');
      expect(await agent.use('send_message', { room, text: 'Hello' })).toMatchObject({
        text: expect.stringMatching(/^mcp_read_only/),
      });
      expect((await agent.use('list_rooms')).isError).toBe(false);
    });
  });
});

describe('POST /api/mcp', () => {
  it('a request without a token is refused with 401', async () => {
    const reply = await call('POST', '/api/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect(reply.status).toBe(401);
  });

  it('a notification is accepted without a body', async () => {
    const { token } = await anAccount();
    const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await call('POST', '/api/mcp', { token, body })).toMatchObject({ status: 202, body: '' });
  });

  it.each([
    ['prompts/list', 404, -32_601],
    ['subscriptions/listen', 200, -32_603],
  ])('the method %s, which a server without streams does not have, is an error with status %i', async (method, status, code) => {
    const { token } = await anAccount();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    const body = { jsonrpc: '2.0', id: 1, method, params: { _meta, notifications: {} } };
    expect(await call('POST', '/api/mcp', { token, headers, body })).toMatchObject({ status, body: { error: { code } } });
  });

  it.each([
    [406, { accept: 'text/html' }],
    [415, { 'content-type': 'text/plain' }],
  ])('a request that is not JSON is refused with %i', async (status, headers) => {
    const { token } = await anAccount();
    const reply = await call('POST', '/api/mcp', { token, headers: headers as Record<string, string>, body: '{}' });
    expect(reply.status).toBe(status);
  });

  it('no stream can be opened: GET is refused with 405', async () => {
    expect((await call('GET', '/api/mcp', { token: (await anAccount()).token })).status).toBe(405);
  });

  it('a body of more than 256 kB is refused with 413', async () => {
    const { token } = await anAccount();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'a'.repeat(262_144) } });
    expect((await call('POST', '/api/mcp', { token, body })).status).toBe(413);
  });

  it.each([
    ['no JSON', '{'],
    ['a list of calls', '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]'],
    ['half of a character', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}'],
  ])('a body that is %s is refused with 400', async (_what, body) => {
    const { token } = await anAccount();
    const reply = await call('POST', '/api/mcp', { token, body });
    expect(reply).toMatchObject({ status: 400, body: { jsonrpc: '2.0', error: { code: -32700 } } });
  });
});
