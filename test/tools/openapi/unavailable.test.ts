import { describe, expect, it } from 'vitest';
import { exampleRequest } from '../../../tools/harness/example-requests.ts';
import { operationsWith } from '../../support/contract.ts';
import { useProxiedDatabase } from '../../support/database-outside.ts';
import { inProcess } from '../../support/transports.ts';

const proxy = await useProxiedDatabase({ patienceMs: 200 });
proxy.set('down');

describe('every operation while the database is down', () => {
  it.concurrent.each(operationsWith(503))('%s answers 503 and when to retry without a database', async (_name, operation) => {
    const { address, body } = exampleRequest(operation);
    const sent = { token: 'a'.repeat(32), ...(body !== undefined && { body }) };
    const { status, headers } = await inProcess(operation.method, address, sent);
    expect({ status, wait: headers['retry-after'] }).toEqual({ status: 503, wait: expect.stringMatching(/^\d+$/) });
  });
});
