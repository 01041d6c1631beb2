import assert from 'node:assert/strict';
import type { Call, SentRequest } from '../harness/transports.ts';
import type { Report } from './report.ts';

const successHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'max-age=86400, must-revalidate, no-store',
};
const unauthenticated = { title: 'Not authentificated', description: 'Please provide an auth token or login.' };
const notAdmin = { title: 'Permission Denied', description: 'Admin required.' };
const nameMissing = { title: 'Missing parameter', description: "The 'name' parameter is required." };
const json = { accept: 'application/json', 'content-type': 'application/json' };

/** Checks the parts of the interface specification that prescribe exact responses. */
export async function checkSpecification(
  { row }: Report,
  call: Call,
  admin: string,
  user: string | undefined,
  name: string,
): Promise<void> {
  await row('* POST /api/rooms creates an open, visible room with one member', async () => {
    const { status, headers, body } = await call('POST', '/api/rooms', {
      token: admin,
      headers: json,
      body: { name },
    });
    assert.equal(status, 201);
    checkHeaders(headers);
    checkRoom(body);
    const { members, ...room } = body as Room;
    assert.deepEqual(
      { ...room, _id: undefined, members: members.length },
      { _id: undefined, name, members: 1, is_open: true, is_visible: true },
    );
  });

  await row('* GET /api/rooms lists every room, each with exactly its five fields', async () => {
    const created = (await call('POST', '/api/rooms', { token: admin, body: { name } })).body;
    const { status, headers, body } = await call('GET', '/api/rooms', { token: admin, headers: { accept: '*/*' } });
    assert.equal(status, 200);
    checkHeaders(headers);
    assert(Array.isArray(body), 'the body is not an array');
    for (const room of body) checkRoom(room);
    assert(JSON.stringify(body).includes(JSON.stringify(created)), 'the list lacks a room that was just created');
  });

  const refusals: [string, string, SentRequest, number, unknown][] = [
    ['POST without a name', 'POST', { token: admin, body: {} }, 400, nameMissing],
    ['POST of an unknown field alone', 'POST', { token: admin, body: { title: 'x' } }, 400, nameMissing],
    ['GET without a token', 'GET', {}, 401, unauthenticated],
    ['GET with a token that is not valid', 'GET', { token: '0'.repeat(32) }, 401, unauthenticated],
    ['POST without a token', 'POST', { body: { name: 'x' } }, 401, unauthenticated],
    ['PUT of JSON', 'PUT', { token: admin, headers: json, body: { name: 'x' } }, 405, ''],
    ['DELETE', 'DELETE', { token: admin }, 405, ''],
    ...(user === undefined
      ? []
      : ([
          ['GET by a user', 'GET', { token: user }, 403, notAdmin],
          ['POST by a user', 'POST', { token: user, body: { name: 'x' } }, 403, notAdmin],
        ] satisfies [string, string, SentRequest, number, unknown][])),
  ];
  for (const [what, method, sent, status, body] of refusals) {
    await row(`* ${what} to /api/rooms is answered with ${status}`, async () => {
      const reply = await call(method, '/api/rooms', sent);
      assert.deepEqual({ status: reply.status, body: reply.body }, { status, body });
      if (status !== 405) assert.match(reply.headers['content-type'] ?? '', /^application\/json/);
      else assert.deepEqual([reply.headers.allow, reply.headers['content-length']], ['GET, POST, OPTIONS', '0']);
    });
  }

  await row('* PUT with Accept */* and an empty body to /api/rooms is answered with 406 and a link to help', async () => {
    const { status, body } = await call('PUT', '/api/rooms', { token: admin, headers: { accept: '*/*' } });
    const { title, description, link } = body as { title: string; description: string; link: Record<string, string> };
    assert.deepEqual(
      { status, title, description, rel: link.rel, fields: Object.keys(link).sort() },
      {
        status: 406,
        title: 'Media type not acceptable',
        description: 'This API only supports responses encoded as JSON.',
        rel: 'help',
        fields: ['href', 'rel', 'text'],
      },
    );
    assert.match(link.href ?? '', /\/api\/json$/);
  });
}

type Room = { _id: { $oid: string }; name: string; members: { $oid: string }[]; is_open: boolean; is_visible: boolean };

function checkRoom(room: unknown): void {
  const { _id, name, members, is_open, is_visible, ...others } = room as Room;
  for (const id of [_id, ...members]) {
    assert.deepEqual(Object.keys(id), ['$oid']);
    assert.match(id.$oid, /^[0-9a-f]{24}$/);
  }
  assert.deepEqual([typeof name, typeof is_open, typeof is_visible, others], ['string', 'boolean', 'boolean', {}]);
}

function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(successHeaders)) assert.equal(headers[name], value, `${name}: ${headers[name]}`);
  assert.match(headers.vary ?? '', /^Accept-Encoding\b/i);
}
