import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { outcome, successHeaders } from '../support/responses.ts';
import { transports } from '../support/transports.ts';

describe.each(transports())('/api/health, %s', (_transport, call) => {
  it('GET /api/health reports the state of the service and the settings for clients without a token', async () => {
    const reply = await call('GET', '/api/health');
    expect(outcome(reply)).toEqual({
      status: 200,
      body: {
        status: 'ok',
        version: manifest.version,
        database: 'ok',
        registration: 'open',
        room_creation: 'users',
        invitations: 'members',
        bot_creation: 'admins',
        sends_email: true,
        email_confirmation: 'off',
        limits: { page_size: 50, room_members: 1_000, event_days: 30, file_bytes: 25_000_000, body_bytes: 65_536 },
      },
    });
    expect(reply.headers).toMatchObject(successHeaders);
  });

  it.each(['/api/health', '/', '/docs'])('HEAD of %s has the status and headers of GET, and no body', async (path) => {
    const [get, head] = [await call('GET', path), await call('HEAD', path)];
    expect({ status: head.status, type: head.headers['content-type'], body: head.body }).toEqual({
      status: 200,
      type: get.headers['content-type'],
      body: '',
    });
  });
});
