import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { users } from '../../../lib/collections/accounts/users.ts';
import { exampleRequest } from '../../../tools/harness/example-requests.ts';
import { anAdmin } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';
import { operationsWith } from '../../support/contract.ts';
import { inProcess } from '../../support/transports.ts';

useConfig({ RATE_LIMITS: 'on' });
useConfig({ WRITE_BURST: '1' });

const { id, token } = await anAdmin();
await users.updateOne({ _id: new ObjectId(id) }, { $set: { writes_per_second: 0.001 } });
await inProcess('DELETE', '/api/sessions', { token });

// Those that anyone may call have limits of their own.
const limited = operationsWith(429).filter(
  ([, { method, security = [] }]) => method !== 'GET' && security.every((one) => Object.keys(one).length > 0),
);

describe('an account that has made too many messages and changes', () => {
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
