import { afterEach, describe, expect, it, vi } from 'vitest';
import { exampleRequest, type ListedOperation } from '../../../tools/harness/example-requests.ts';
import { loadPaths } from '../../../tools/harness/functions.ts';
import { anAccount, anAdmin } from '../../support/accounts.ts';
import { operationsWith } from '../../support/contract.ts';
import { inProcess, type SentRequest } from '../../support/transports.ts';

const admin = await anAdmin();
const user = await anAccount();
const nobody = '0'.repeat(24);

afterEach(() => vi.restoreAllMocks());

describe('requests that an operation refuses, as the contract says', () => {
  it.each(operationsWith(401).filter(([, { security }]) => isForSome(security)))(
    '%s is refused without a token',
    async (_name, operation) => {
      expect(await send(operation, { token: undefined })).toMatchObject({ status: 401, body: { title: 'Not authentificated' } });
    },
  );

  it.each(operationsWith(403).filter(([, operation]) => operation['x-admin-only']))(
    '%s is refused to a user who is not an administrator',
    async (_name, operation) => {
      expect(await send(operation, { token: user.token })).toMatchObject({
        status: 403,
        body: { description: 'Admin required.' },
      });
    },
  );

  it.each(operationsWith(406))('%s is refused to a client that accepts only HTML', async (_name, operation) => {
    expect(await send(operation, { headers: { accept: 'text/html' } })).toMatchObject({ status: 406 });
  });

  it.each(operationsWith(400).filter(takesJsonAlone))('%s is refused unless its body is an object', async (_name, operation) => {
    expect(await send(operation, { body: '[' })).toMatchObject({ status: 400, body: { title: 'Invalid JSON' } });
  });

  it.each(operationsWith(400).filter((one) => takesJsonAlone(one) && one[1].path !== '/api/rooms'))(
    '%s is refused with an unknown field',
    async (_name, operation) => {
      const { body } = exampleRequest(operation);
      const answer = await send(operation, { body: { ...(body as object), Colour: 'red' } });
      expect(answer).toMatchObject({
        status: 400,
        body: { description: "Unknown parameter 'Colour'.", code: 'unknown_parameter' },
      });
    },
  );

  it.each(operationsWith(415))('%s is refused as a form', async (_name, operation) => {
    expect(
      await send(operation, { body: 'text=Hello', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    ).toMatchObject({
      status: 415,
      body: { description: "Send a JSON body with 'Content-Type: application/json'." },
    });
  });

  it.each(operationsWith(400).filter(([, { parameters = [] }]) => parameters.some(({ schema }) => schema.type === 'integer')))(
    '%s is refused with an invalid query',
    async (_name, operation) => {
      const [{ name = '' } = {}] = operation.parameters?.filter(({ schema }) => schema.type === 'integer') ?? [];
      expect(await send(operation, {}, { query: { [name]: '' } })).toMatchObject({
        status: 400,
        body: { title: 'Invalid parameter' },
      });
    },
  );

  it.each(operationsWith(413).filter(takesJsonAlone))('%s is refused with too large a body', async (_name, operation) => {
    expect(await send(operation, { body: { x: 'x'.repeat(65_536) } })).toMatchObject({ status: 413 });
  });

  it.each(operationsWith(404).filter(([, { path }]) => path.includes('{')))(
    '%s does not find something that does not exist',
    async (_name, operation) => {
      const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'emoji');
      const variables = Object.fromEntries(names.map((name) => [name, nobody]));
      expect(await send(operation, {}, { variables })).toMatchObject({ status: 404, body: { title: 'Not found' } });
    },
  );

  it.each(operationsWith(500))('%s reveals nothing of an unexpected error', async (_name, operation) => {
    const operations = (await loadPaths()).find(({ path }) => path === operation.path)?.operations[operation.method];
    vi.spyOn(operations ?? { run: async () => undefined }, 'run').mockRejectedValue(new Error('secret detail'));
    expect(await send(operation)).toMatchObject({
      status: 500,
      body: { description: expect.stringMatching(/^The request failed and has been logged as [\w-]+\.$/) },
    });
  });
});

/** Other programs' shapes and JSON-RPC have tests of their own. */
const takesJsonAlone = ([, { path, requestBody }]: readonly [string, ListedOperation]) =>
  path !== '/api/mcp' && Object.keys(requestBody?.content ?? {}).join() === 'application/json';

const isForSome = (security: ListedOperation['security'] = []) => security.every((one) => Object.keys(one).length > 0);

/**
 * Sends the example of an operation as an administrator. A refusal has a code, except where the
 * specification fixes its body.
 */
async function send(operation: ListedOperation, sent: SentRequest = {}, changed: Parameters<typeof exampleRequest>[1] = {}) {
  const { address, body } = exampleRequest(operation, changed);
  const all = { token: admin.token, ...(body !== undefined && { body }), ...sent };
  const answer = await inProcess(operation.method, address, all);
  const { code } = answer.body as { code?: unknown };
  expect(code).toEqual(operation.path === '/api/rooms' ? undefined : expect.stringMatching(/^[a-z_]+$/));
  return answer;
}
