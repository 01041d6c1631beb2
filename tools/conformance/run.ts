import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenApi } from '../../lib/reference/openapi.ts';
import { replyChecker } from '../harness/check-reply.ts';
import { type Call, overHttp } from '../harness/transports.ts';
import { deleteAllNamed } from './cleanup.ts';
import { checkRefusals, checkWalkthrough } from './contract.ts';
import { reporter } from './report.ts';
import { checkSpecification } from './specification.ts';

/**
 * Checks a running service against the contract. Deletes everything that it creates, even if it is
 * interrupted. Returns true if all rows conform. Throws if the service does not respond.
 */
export async function runConformance(
  baseUrl: string,
  admin: string,
  document: OpenApi,
  print: (line: string) => void,
  interrupted: AbortSignal,
): Promise<boolean> {
  const report = reporter(print, interrupted);
  const plain = patient(overHttp(baseUrl));
  const health = await plain('GET', '/api/health').catch(({ code }: NodeJS.ErrnoException) => {
    if (code) throw new Error(`The service at ${baseUrl} can't be reached (${code}): check the address and that it runs.`);
  });
  const limits = (health?.body as { limits?: { file_bytes?: number } } | undefined)?.limits;
  const keepsFiles = (limits?.file_bytes ?? 0) > 0;
  // The rows below report invalid responses.
  const factor = await plain('GET', '/api/second-factor', { token: admin }).catch(() => undefined);
  const foreign = new Set<string>();
  const call = checking(document, plain, foreign);
  // The prefix of all created names, used to find and delete them.
  const name = `conformance-${randomBytes(6).toString('hex')}`;
  const password = randomBytes(18).toString('base64');

  try {
    await report.row('the service describes itself as this contract does', async () => {
      const { body } = await call('GET', '/api/openapi.json');
      assert.deepEqual(body, document, 'its /api/openapi.json differs from docs/openapi.json: is it another version?');
    });
    const user = await aUser(call, admin, { username: `${name}-user`, email: `${name}-user@example.org`, password });
    await checkSpecification(report, call, admin, user, name);
    await checkRefusals(report, call, document, admin, user);
    await checkWalkthrough(
      report,
      call,
      { name: 'ann', token: admin },
      {
        user: name,
        email: `${name}@example.org`,
        room: name,
        newRoom: `${name}-renamed`,
        password,
        sendsEmail: false,
        keepsFiles,
        hasSecondFactors: (factor?.body as { is_available?: boolean } | undefined)?.is_available === true,
      },
    );
  } finally {
    await report.last('nothing is left behind', () => deleteAllNamed(name, plain, admin));
  }
  if (foreign.size > 0) print(`\nNot the service's, and no fault: the headers ${[...foreign].sort().join(', ')}.`);
  return report.end();
}

/**
 * Wraps a call so that it briefly waits and retries after a 429: the service limits these requests
 * like any others.
 */
const patient =
  (call: Call): Call =>
  async (method, path, sent) => {
    for (let left = 100; ; left--) {
      const reply = await call(method, path, sent);
      const seconds = Number(reply.headers['retry-after']);
      if (reply.status !== 429 || seconds > 10 || left === 0) return reply;
      await delay(seconds * 1_000);
    }
  };

/**
 * Wraps a call so that responses are compared with the contract. Headers that proxies and gateways
 * add are collected in `foreign`.
 */
function checking(document: OpenApi, call: Call, foreign: Set<string>): Call {
  const check = replyChecker(document, (header) => void foreign.add(header));
  return async (method, path, sent) => {
    const reply = await call(method, path, sent);
    const { faults } = check(method, path, reply);
    assert(faults.length === 0, `answered ${reply.status}, which ${faults.join('; which ')}`);
    return reply;
  };
}

async function aUser(call: Call, admin: string, account: Record<string, string>): Promise<string | undefined> {
  const { body } = await call('POST', '/api/users', { token: admin, body: account }).catch(() => ({ body: undefined }));
  return (body as { token?: string } | undefined)?.token;
}
