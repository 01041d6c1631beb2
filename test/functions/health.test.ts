import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { outcome, successHeaders } from '../support/responses.ts';
import { transports } from '../support/transports.ts';

describe.each(transports())('/api/health, %s', (_transport, call) => {
  it('GET reports, without a token, that the service and its database are up', async () => {
    const reply = await call('GET', '/api/health');
    expect(outcome(reply)).toEqual({ status: 200, body: { status: 'ok', version: manifest.version, database: 'ok' } });
    expect(reply.headers).toMatchObject(successHeaders);
  });
});
