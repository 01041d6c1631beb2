import { expect, it } from 'vitest';
import { anAccount } from '../support/accounts.ts';
import { aRoom } from '../support/rooms.ts';
import { inProcess as call, transports } from '../support/transports.ts';

it.each(['reactions/👍', 'pin', 'save'])('PUT of %s needs no body and no media type', async (what) => {
  const room = await aRoom();
  const { token } = room.owner;
  const { body } = await call('POST', '/api/messages', { token, body: { room: room.id, text: 'x' } });
  const path = `/api/messages/${(body as { _id: { $oid: string } })._id.$oid}/${what}`;
  for (const [, send] of transports()) {
    expect((await send('PUT', path, { token })).status).toBe(200);
    expect((await send('PUT', path, { token, headers: { 'content-type': 'application/json' } })).status).toBe(200);
    expect((await send('PUT', path, { token, body: Buffer.from('x'), headers: { 'content-type': 'text/plain' } })).status).toBe(
      415,
    );
  }
});

it('a change that needs a parameter needs a body with its type, and so does a POST', async () => {
  const { token } = await anAccount();
  expect((await call('PATCH', '/api/users/me', { token })).status).toBe(415);
  expect((await call('POST', '/api/tickets', { token })).status).toBe(415);
});
