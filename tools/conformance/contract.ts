import assert from 'node:assert/strict';
import type { OpenApi } from '../../lib/reference/openapi.ts';
import { exampleRequest, type ListedOperation, listOperations } from '../harness/example-requests.ts';
import type { Call, SentRequest } from '../harness/transports.ts';
import { type Person, type Step, walkThrough } from '../harness/walkthrough.ts';
import { type Names, walkthrough } from '../harness/walkthrough-steps.ts';
import type { Report } from './report.ts';

/** Checks the correct use of every operation, in the order of the walkthrough. */
export async function checkWalkthrough({ row }: Report, call: Call, ann: Person, names: Names): Promise<void> {
  const done: Step[] = [];
  const reported: Call = async (method, path, sent) => {
    let reply: Awaited<ReturnType<Call>> | undefined;
    await row(`${method} ${path}`, async () => {
      reply = await call(method, path, sent);
      assert(reply.status < 300, `answered ${reply.status} ${JSON.stringify(reply.body)}`);
    });
    if (!reply) throw new Error(`${method} ${path} was not answered`);
    return reply;
  };
  await walkThrough(reported, walkthrough(ann, names)).then(
    (steps) => done.push(...steps),
    () => undefined,
  );
  await row('the walkthrough completes', async () => assert(done.length > 0, 'it stopped early'));
}

/** Checks that every operation rejects invalid requests. */
export async function checkRefusals(
  { row }: Report,
  call: Call,
  document: OpenApi,
  admin: string,
  user: string | undefined,
): Promise<void> {
  for (const operation of listOperations(document)) {
    const { address, body } = exampleRequest(operation);
    const expectStatus = (what: string, status: number, sent: SentRequest) =>
      row(`${operation.method} ${operation.path} ${what} is answered with ${status}`, async () => {
        const reply = await call(operation.method, address, { ...(body !== undefined && { body }), ...sent });
        assert.equal(reply.status, status, `answered ${reply.status} ${JSON.stringify(reply.body)}`);
      });

    if (isForSome(operation)) await expectStatus('without a token', 401, {});
    if (operation['x-admin-only'] && user !== undefined) await expectStatus('by a user', 403, { token: user });
    if (operation.responses[406])
      await expectStatus('that accepts only HTML', 406, { token: admin, headers: { accept: 'text/html' } });
    // Operations that also accept the formats of other programs check the address first.
    if (Object.keys(operation.requestBody?.content ?? {}).join() === 'application/json')
      await expectStatus('of what is not JSON', 400, { token: admin, body: '[' });
  }

  for (const [path, methods] of Object.entries(document.paths)) {
    const [listed] = listOperations({ ...document, paths: { [path]: methods } });
    const address = exampleRequest(listed as ListedOperation).address;
    const own = Object.keys(methods).map((method) => method.toUpperCase());
    const hasHead = own.includes('GET') && path !== '/api/rooms';
    const allow = [...own.flatMap((method) => (method === 'GET' && hasHead ? ['GET', 'HEAD'] : method)), 'OPTIONS'].join(', ');
    const other = ['DELETE', 'PUT', 'GET', 'POST'].find((method) => !own.includes(method)) ?? 'TRACE';
    await row(`${other} ${path}, which it does not have, is answered with 405 and its methods`, async () => {
      const sent = other.startsWith('P') ? { token: admin, body: {} } : { token: admin };
      const { status, headers } = await call(other, address, sent);
      assert.deepEqual({ status, allow: headers.allow }, { status: 405, allow });
    });
    await row(`OPTIONS ${path} names its methods`, async () => {
      const { status, headers } = await call('OPTIONS', address);
      assert.deepEqual({ status, allow: headers.allow }, { status: 204, allow });
    });
  }
}

const isForSome = ({ security = [] }: ListedOperation) => security.every((one) => Object.keys(one).length > 0);
