import { expect, it } from 'vitest';
import { routes } from '../../tools/harness/functions.ts';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { differences, type Example } from '../support/differences.ts';
import { aRoom } from '../support/rooms.ts';

const admin = await anAdmin();
const user = await anAccount();
const { token } = admin;
// A page that does not depend on other tests: one room of this test, which another one follows.
const { id: room } = await aRoom();
await aRoom();
const justBefore = (BigInt(`0x${room}`) - 1n).toString(16);
const page = `/api/rooms?limit=1&after=${justBefore}`;
const json = { accept: 'application/json', 'content-type': 'application/json' };
const unknown = '0123456789abcdef01234567';

/** The path of a function, with ids that do not exist. */
const pathOf = (path: string) => (path === '*' ? '/nowhere/at/all' : path.replaceAll(/\{\w+\+?\}/g, unknown));

const methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST'];
const everyPath: Example[] = routes.flatMap(({ path }) =>
  methods.flatMap((method): Example[] => [
    [`${method} ${path} without a token`, method, pathOf(path), {}],
    [`${method} ${path} by a user without rooms`, method, pathOf(path), { token: user.token }],
    [`${method} ${path} with JSON that has no parameters`, method, pathOf(path), { token: user.token, headers: json, body: {} }],
  ]),
);

const examples: Example[] = [
  ...everyPath,
  ['a page', 'GET', page, { token }],
  ['an invalid page', 'GET', '/api/rooms?limit=0', { token }],
  ['a parameter twice', 'GET', '/api/rooms?limit=1&limit=2', { token }],
  ['an escaped parameter', 'GET', page.replace('limit=1', 'limit=%31'), { token }],
  ['a parameter with a malformed escape', 'GET', '/api/rooms?limit=%zz', { token }],
  ['an empty query', 'GET', '/api/nowhere?', { token }],
  ['a token in capitals', 'GET', page, { headers: { 'X-AUTH-TOKEN': token } }],
  ['a cookie', 'GET', page, { token, headers: { cookie: 'a=1; b="2"; c' } }],
  ['an origin', 'GET', page, { token, headers: { origin: 'https://chat.example.org' } }],
  ['a preflight', 'OPTIONS', '/api/rooms', { headers: { origin: 'https://a.example', 'access-control-request-method': 'PUT' } }],
  ['XML wanted', 'GET', '/api/rooms', { token, headers: { accept: 'application/xml' } }],
  ['a body without a type', 'POST', '/api/rooms', { token, headers: { 'content-type': '' }, body: '{"name":"x"}' }],
  ['a body of XML', 'POST', '/api/rooms', { token, headers: { 'content-type': 'text/xml' }, body: '<name/>' }],
  ['a form', 'POST', '/api/rooms', { token, headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' }],
  ['no body', 'POST', '/api/rooms', { token, headers: json }],
  ['a PUT without a body', 'PUT', '/api/rooms', { token, headers: json }],
  ['a body that is null', 'POST', '/api/rooms', { token, headers: json, body: 'null' }],
  ['a body that is false', 'PUT', '/api/rooms', { token, headers: json, body: 'false' }],
  ['a body that is not JSON', 'POST', '/api/rooms', { token, headers: json, body: '{' }],
  ['a body with a NUL in it', 'POST', '/api/rooms', { token, headers: json, body: '{"name":"\u0000"}' }],
  ['a body that is not UTF-8', 'POST', '/api/rooms', { token, headers: json, body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) }],
  ['a body of 65 537 bytes', 'POST', '/api/rooms', { token, headers: json, body: `{"name":"${'x'.repeat(65_526)}"}` }],
  ['a slash at the end', 'GET', '/api/rooms/', { token }],
  ['a slash after an id', 'GET', `/api/rooms/${unknown}/`, { token }],
  ['two slashes', 'GET', '/api//rooms', { token }],
  ['capitals', 'GET', '/api/Rooms', { token }],
  ['an escaped letter', 'GET', '/api/room%73?limit=0', { token }],
  ['an escaped slash', 'GET', '/api%2Frooms', { token }],
  ['a malformed escape', 'GET', '/api/rooms%zz', { token }],
  ['an escape that is not UTF-8', 'GET', '/api/%ff', { token }],
  ['a path in another script', 'GET', encodeURI('/api/комнаты'), { token }],
  ['a semicolon', 'GET', '/api/rooms;limit=1', { token }],
];

it('every transport gives the same responses', async () => {
  expect(await differences(examples)).toEqual([]);
});
