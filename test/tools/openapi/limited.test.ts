import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { users } from '../../../lib/collections/accounts/users.ts';
import { exampleRequest } from '../../../tools/harness/example-requests.ts';
import { aName, anAddress, anAdmin } from '../../support/accounts.ts';
import { useConfig, withConfig } from '../../support/config.ts';
import { operationsWith } from '../../support/contract.ts';
import { aRoom } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

useConfig({ RATE_LIMITS: 'on' });
useConfig({ WRITE_BURST: '1' });

const { id, token } = await anAdmin();
await users.updateOne({ _id: new ObjectId(id) }, { $set: { writes_per_second: 0.001 } });
await inProcess('DELETE', '/api/sessions', { token });

// Operations for anyone have their own limits.
const limited = operationsWith(429).filter(
  ([, { method, security = [] }]) => method !== 'GET' && security.every((one) => Object.keys(one).length > 0),
);

describe('an account with too many messages and changes', () => {
  it.each(limited)('%s of an account with too many changes answers 429, and when to retry', async (_name, operation) => {
    const { address, body } = exampleRequest(operation);
    const { status, headers } = await inProcess(operation.method, address, { token, ...(body !== undefined && { body }) });
    expect({ status, headers }).toMatchObject({
      status: 429,
      headers: {
        'retry-after': expect.stringMatching(/^\d+$/),
        ratelimit: expect.stringMatching(/^"writes";r=0;t=\d+$/),
        'ratelimit-policy': '"writes";q=1;w=1000',
      },
    });
  });
});

describe('what anyone may call', () => {
  const [source, email] = [anAddress(), `${aName()}@example.org`];
  const signUp = () => ({ username: aName(), email: `${aName()}@example.org`, password: 'correct horse' });

  it.each([
    ['POST /api/users from one address', async () => '/api/users', signUp],
    ['POST /api/codes for one mailbox', async () => '/api/codes', () => ({ email, purpose: 'password' })],
    ['POST /api/webhooks/{secret} with one secret', aWebhook, () => ({ text: 'Hello' })],
  ])('%s too often answers 429, and when to retry', async (_name, findPath, body) => {
    const path = await findPath();
    const replies = await withConfig({ SIGN_UPS_PER_HOUR: '2', WRITES_PER_SECOND: '1' }, () =>
      Promise.all(Array.from({ length: 12 }, () => inProcess('POST', path, { source, body: body() }))),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(replies.length - refused.length).toBe(replies.filter(({ status }) => status < 300).length);
  });
});

async function aWebhook(): Promise<string> {
  return withConfig({ RATE_LIMITS: 'off' }, async () => {
    const { path, owner } = await aRoom();
    const { body } = await inProcess('POST', `${path}/webhooks`, { token: owner.token, body: {} });
    return `/api/webhooks/${(body as { secret: string }).secret}`;
  });
}
