import { afterAll, describe, expect, inject, it } from 'vitest';
import { exampleRequest } from '../../../tools/harness/example-requests.ts';
import { operationsWith } from '../../support/contract.ts';
import { startProxy } from '../../support/proxy.ts';

const { host } = new URL(inject('environment').MONGODB_URI ?? '');
const proxy = await startProxy(host);
process.env.MONGODB_URI = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
proxy.set('down');

const { client } = await import('../../../lib/database/client.ts');
const { inProcess } = await import('../../support/transports.ts');

afterAll(async () => {
  await client.close();
  await proxy.close();
});

describe('every operation while the database is down', () => {
  it.concurrent.each(operationsWith(503))('%s answers 503 and when to retry without a database', async (_name, operation) => {
    const { address, body } = exampleRequest(operation);
    const sent = { token: 'a'.repeat(32), ...(body !== undefined && { body }) };
    const { status, headers } = await inProcess(operation.method, address, sent);
    expect({ status, wait: headers['retry-after'] }).toEqual({ status: 503, wait: expect.stringMatching(/^\d+$/) });
  });
});
