import { describe, expect, it } from 'vitest';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import type { Call, Reply, SentRequest } from '../support/transports.ts';
import { transports } from '../support/transports.ts';

const admin = await anAdmin();
const user = await anAccount();

const objectId = expect.stringMatching(/^[0-9a-f]{24}$/);
const anyRoom = {
  _id: { $oid: objectId },
  name: expect.any(String),
  members: expect.any(Array),
  is_open: expect.any(Boolean),
  is_visible: expect.any(Boolean),
};
const successHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'max-age=86400, must-revalidate, no-store',
  vary: 'Accept-Encoding',
};

const unauthenticated = { title: 'Not authentificated', description: 'Please provide an auth token or login.' };
const notAdmin = { title: 'Permission Denied', description: 'Admin required.' };
const notAcceptable = {
  title: 'Media type not acceptable',
  description: 'This API only supports responses encoded as JSON.',
  link: { rel: 'help', href: expect.stringMatching(/\/api\/json$/), text: expect.any(String) },
};
const nameMissing = { title: 'Missing parameter', description: "The 'name' parameter is required." };
const nameInvalid = {
  title: 'Invalid parameter',
  description: "The 'name' parameter must have 1 to 100 characters and not be blank.",
};
const invalidJson = (description = 'The request body is not a JSON object.') => ({ title: 'Invalid JSON', description });

describe.each(transports())('/api/rooms, %s', (_transport, call) => {
  describe('GET', () => {
    it('GET /api/rooms lists every room, each with exactly its five fields', async () => {
      const created = await aRoom(call, 'General');
      const { status, headers, body } = await call('GET', '/api/rooms', { token: admin.token });
      expect({ status, headers, body }).toEqual({
        status: 200,
        headers: expect.objectContaining(successHeaders),
        body: expect.arrayContaining([created]),
      });
      expect(body).toEqual((body as unknown[]).map(() => anyRoom));
    });

    it('GET /api/rooms lists all of 150 created rooms', async () => {
      const names = Array.from({ length: 150 }, (_, index) => `Room ${index} of ${crypto.randomUUID()}`);
      const created = await mapInBatches(16, names, (name) => aRoom(call, name));
      const { body } = await call('GET', '/api/rooms', { token: admin.token });
      expect(body).toEqual(expect.arrayContaining(created));
    });
  });

  it('GET /api/rooms pages through the rooms on request, with every room on one page', async () => {
    const start = await aRoom(call, 'Before the pages');
    const created: unknown[] = [];
    for (let index = 0; index < 5; index++) created.push(await aRoom(call, 'Paged'));
    const pages: unknown[][] = [];
    let path: string | undefined = `/api/rooms?limit=2&after=${start._id.$oid}`;
    while (path) {
      const { headers, body }: Reply = await call('GET', path, { token: admin.token });
      pages.push(body as unknown[]);
      path = headers.link?.match(/^<(.+)>; rel="next"$/)?.[1];
    }
    // Other tests create rooms concurrently, which appear between and after these.
    const found = pages.flat().map((room) => JSON.stringify(room));
    const wanted = created.map((room) => JSON.stringify(room));
    expect(found.filter((room) => wanted.includes(room))).toEqual(wanted);
    expect(new Set(found).size).toBe(found.length);
    expect(pages.slice(0, -1).every(({ length }) => length === 2)).toBe(true);
    expect(pages.at(-1)?.length).toSatisfy((count) => count === 1 || count === 2);
  });

  it.each([
    ['limit=0', "The 'limit' parameter must be from 1 to 200."],
    ['limit=201', "The 'limit' parameter must be from 1 to 200."],
    ['limit=1.5', "The 'limit' parameter must be from 1 to 200."],
    ['after=room', "The 'after' parameter must be an id of 24 hexadecimal characters."],
  ])('GET /api/rooms refuses the page %s', async (query, description) => {
    const { status, body } = await call('GET', `/api/rooms?${query}`, { token: admin.token });
    expect({ status, body }).toEqual({ status: 400, body: { title: 'Invalid parameter', description } });
  });

  describe('POST', () => {
    it('POST /api/rooms creates an open, visible room whose only member is its creator', async () => {
      const { status, headers, body } = await call('POST', '/api/rooms', { token: admin.token, body: { name: 'General' } });
      expect({ status, headers, body }).toEqual({
        status: 201,
        headers: expect.objectContaining(successHeaders),
        body: { _id: { $oid: objectId }, name: 'General', members: [{ $oid: admin.id }], is_open: true, is_visible: true },
      });
    });

    it.each([
      ['an emoji', '🦉'],
      ['100 code points of two code units', '🦉'.repeat(100)],
      ['space around it', '  General \t'],
      ['what looks like an operator', '{"$gt":""}'],
      ['markup', '<b>&amp;</b>'],
      ['a combining sequence, not composed', 'e\u0301'],
      ['right-to-left text', 'שלום'],
    ])('POST /api/rooms keeps a name with %s exactly as sent', async (_what, name) => {
      expect(await aRoom(call, name)).toEqual({ ...anyRoom, name });
      expect((await call('GET', '/api/rooms', { token: admin.token })).body).toContainEqual({ ...anyRoom, name });
    });

    it('POST /api/rooms keeps a name on one line', async () => {
      expect(await aRoom(call, 'one\r\ntwo\n')).toEqual({ ...anyRoom, name: 'one two' });
    });

    it('POST /api/rooms ignores other fields', async () => {
      const body = { name: 'General', is_open: false, members: [], _id: '0'.repeat(24) };
      expect(await call('POST', '/api/rooms', { token: admin.token, body })).toMatchObject({
        status: 201,
        body: { name: 'General', is_open: true, members: [{ $oid: admin.id }] },
      });
    });

    it('POST /api/rooms creates two rooms of the same name', async () => {
      const [first, second] = [await aRoom(call, 'Twin'), await aRoom(call, 'Twin')];
      expect(first._id).not.toEqual(second._id);
    });
  });

  describe('a request', () => {
    const getting: SentRequest = { token: admin.token };
    const posting: SentRequest = { token: admin.token, body: { name: 'General' } };
    const json = { 'content-type': 'application/json' };

    it.each<[string, string, SentRequest, number, unknown]>([
      ['GET without a token', 'GET', {}, 401, unauthenticated],
      ['GET with a token of the wrong form', 'GET', { token: 'nonsense' }, 401, unauthenticated],
      ['GET with a token that was never issued', 'GET', { token: 'a'.repeat(32) }, 401, unauthenticated],
      ['GET with the token in capitals', 'GET', { token: admin.token.toUpperCase() }, 401, unauthenticated],
      ['POST without a token', 'POST', { ...posting, token: undefined }, 401, unauthenticated],
      ['GET by a user', 'GET', { token: user.token }, 403, notAdmin],
      ['POST by a user', 'POST', { ...posting, token: user.token }, 403, notAdmin],
      ['PUT by a user', 'PUT', { token: user.token, body: {} }, 403, notAdmin],
      ['GET that accepts only HTML', 'GET', { ...getting, headers: { accept: 'text/html' } }, 406, notAcceptable],
      [
        'GET that accepts anything but JSON',
        'GET',
        { ...getting, headers: { accept: '*/*, application/json;q=0' } },
        406,
        notAcceptable,
      ],
      ['POST that accepts only XML', 'POST', { ...posting, headers: { accept: 'application/xml' } }, 406, notAcceptable],
      [
        'POST of a form',
        'POST',
        { ...posting, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        406,
        notAcceptable,
      ],
      ['POST of plain text', 'POST', { ...posting, headers: { 'content-type': 'text/plain' } }, 406, notAcceptable],
      ['POST without a body or its type', 'POST', { token: admin.token }, 406, notAcceptable],
      ['PUT with an empty body, accepting anything', 'PUT', { ...getting, headers: { accept: '*/*' } }, 406, notAcceptable],
      ['PUT with an empty JSON body', 'PUT', { ...getting, headers: json }, 406, notAcceptable],
      ['PATCH with an empty JSON body', 'PATCH', { ...getting, headers: json }, 406, notAcceptable],
      ['PUT of JSON, accepting JSON', 'PUT', { ...posting, headers: { accept: 'application/json' } }, 405, ''],
      ['PATCH of JSON', 'PATCH', posting, 405, ''],
      ['DELETE', 'DELETE', getting, 405, ''],
      ['HEAD', 'HEAD', getting, 405, ''],
      ['POST without a name', 'POST', { ...posting, body: {} }, 400, nameMissing],
      ['POST of only an unknown field', 'POST', { ...posting, body: { title: 'General' } }, 400, nameMissing],
      ['POST of an empty JSON body', 'POST', { token: admin.token, headers: json }, 400, nameMissing],
      ['POST of a name that is a number', 'POST', { ...posting, body: { name: 7 } }, 400, nameInvalid],
      ['POST of a name that is null', 'POST', { ...posting, body: { name: null } }, 400, nameInvalid],
      ['POST of a name that is an operator', 'POST', { ...posting, body: { name: { $gt: '' } } }, 400, nameInvalid],
      ['POST of a name that is a list', 'POST', { ...posting, body: { name: ['General'] } }, 400, nameInvalid],
      ['POST of an empty name', 'POST', { ...posting, body: { name: '' } }, 400, nameInvalid],
      ['POST of a blank name', 'POST', { ...posting, body: { name: ' \t\n' } }, 400, nameInvalid],
      ['POST of a name of 101 code points', 'POST', { ...posting, body: { name: '🦉'.repeat(101) } }, 400, nameInvalid],
      ['POST of malformed JSON', 'POST', { ...posting, body: '{"name":' }, 400, invalidJson()],
      ['POST of a list', 'POST', { ...posting, body: '[]' }, 400, invalidJson()],
      ['POST of null', 'POST', { ...posting, body: 'null' }, 400, invalidJson()],
      [
        'POST of a NUL',
        'POST',
        { ...posting, body: '{"name":"a\\u0000b"}' },
        400,
        { ...nameInvalid, description: "The 'name' parameter must not have the control character U+0000 (line 1, character 2)." },
      ],
      [
        'POST of half a surrogate pair',
        'POST',
        { ...posting, body: '{"name":"\\ud800"}' },
        400,
        invalidJson('The request body must not have a lone surrogate in a text.'),
      ],
      [
        'POST of a __proto__',
        'POST',
        { ...posting, body: '{"name":"a","__proto__":{"is_admin":true}}' },
        400,
        invalidJson("The request body must not have a '__proto__' field."),
      ],
      [
        'POST nested 33 levels deep',
        'POST',
        { ...posting, body: nested(33) },
        400,
        invalidJson('The request body must not be nested deeper than 32 levels.'),
      ],
      [
        'POST nested 20 000 levels deep',
        'POST',
        { ...posting, body: nested(20_000) },
        400,
        invalidJson('The request body must not be nested deeper than 32 levels.'),
      ],
      [
        'POST of 65 537 bytes',
        'POST',
        { ...posting, body: sized(65_537) },
        413,
        { title: 'Payload too large', description: 'The body must not exceed 65536 bytes.' },
      ],
    ])('a request is refused while a valid call succeeds: %s', async (_what, method, sent, status, body) => {
      const refused = await call(method, '/api/rooms', sent);
      expect({ status: refused.status, body: refused.body }).toEqual({ status, body });
      expect(refused.headers).toMatchObject(
        status === 405 ? { allow: 'GET, POST, OPTIONS', 'content-length': '0' } : { 'content-type': 'application/json' },
      );
      expect((await call('GET', '/api/rooms', getting)).status).toBe(200);
      expect((await call('POST', '/api/rooms', posting)).status).toBe(201);
    });

    it.each([
      ['nested 32 levels deep', nested(32)],
      ['of 65 536 bytes', sized(65_536)],
    ])('a request is accepted with a body %s', async (_what, body) => {
      expect((await call('POST', '/api/rooms', { token: admin.token, body })).status).toBe(201);
    });

    it('a request that is refused leaves nothing stored', async () => {
      const name = crypto.randomUUID();
      await call('POST', '/api/rooms', { token: user.token, body: { name } });
      await call('POST', '/api/rooms', { token: admin.token, body: `{"name":"${name}","x":"\\u0000"}` });
      const { body } = await call('GET', '/api/rooms', { token: admin.token });
      expect(JSON.stringify(body)).not.toContain(name);
    });
  });

  it.each([
    ['no Accept', {}],
    ['*/*', { accept: '*/*' }],
    ['application/*', { accept: 'application/*' }],
    ['JSON with a charset', { accept: 'application/json; charset=utf-8' }],
    ["a browser's", { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }],
  ])('/api/rooms answers clients that accept JSON: %s', async (_what, headers) => {
    expect((await call('GET', '/api/rooms', { token: admin.token, headers })).status).toBe(200);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/merge-patch+json',
  ])('/api/rooms accepts a body of the type %s', async (type) => {
    const sent = { token: admin.token, body: { name: 'General' }, headers: { 'content-type': type } };
    expect((await call('POST', '/api/rooms', sent)).status).toBe(201);
  });

  it('OPTIONS /api/rooms is answered without a token, including the preflight request of a browser', async () => {
    const headers = { origin: 'https://chat.example.org', 'access-control-request-method': 'POST' };
    const { status, headers: answered, body } = await call('OPTIONS', '/api/rooms', { headers });
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(answered).toMatchObject({
      allow: 'GET, POST, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'X-Auth-Token, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
    });
    expect(answered).not.toHaveProperty('access-control-allow-credentials');
  });

  it('GET /api/rooms compresses a long list for clients that accept it', async () => {
    await mapInBatches(8, Array.from({ length: 10 }, String), (name) => aRoom(call, name));
    const encodings = ['br', 'gzip', 'gzip, deflate, br, zstd', 'gzip, br;q=0.5', 'gzip;q=0', 'identity'].map(
      async (encoding) => {
        const { headers } = await call('GET', '/api/rooms', { token: admin.token, headers: { 'accept-encoding': encoding } });
        return headers['content-encoding'];
      },
    );
    expect(await Promise.all(encodings)).toEqual(['br', 'gzip', 'br', 'gzip', undefined, undefined]);
  });

  it('/api/rooms gives every response its own id and the security headers', async () => {
    const calls = [
      call('GET', '/api/rooms', { token: admin.token }),
      call('GET', '/api/rooms'),
      call('OPTIONS', '/api/rooms'),
      call('GET', '/api/nothing'),
    ];
    const answers = await Promise.all(calls);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'strict-transport-security': 'max-age=31536000',
        'referrer-policy': 'no-referrer',
      });
    }
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(4);
  });

  it('/api/rooms serves 100 concurrent callers', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => call('GET', '/api/rooms', { token: admin.token })));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  });
});

describe.each(transports())('any other path, %s', (_transport, call) => {
  it.each(['/nowhere', '/api/room', '/api/rooms/x/y', '/favicon.ico'])(
    'any other path is not found, with or without a token: %s',
    async (path) => {
      for (const account of [admin, undefined] satisfies (Account | undefined)[]) {
        const { status, headers, body } = await call('GET', path, { token: account?.token });
        expect({ status, body }).toEqual({
          status: 404,
          body: { title: 'Not found', description: 'No such path.', code: 'path_not_found' },
        });
        expect(headers['content-type']).toBe('application/json');
      }
    },
  );
});

async function aRoom(call: Call, name: string) {
  const { status, body } = await call('POST', '/api/rooms', { token: admin.token, body: { name } });
  expect(status).toBe(201);
  return body as { _id: { $oid: string }; name: string };
}

/** Runs `work` on every item, `width` at a time. */
async function mapInBatches<T, R>(width: number, items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += width) results.push(...(await Promise.all(items.slice(at, at + width).map(work))));
  return results;
}

/** A body whose objects and lists are nested `levels` deep. */
function nested(levels: number): string {
  return `{"name":"deep","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
}

/** A body of `bytes` bytes. */
function sized(bytes: number): string {
  const frame = '{"name":"big","x":""}';
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
}
