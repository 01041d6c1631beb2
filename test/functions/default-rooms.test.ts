import { expect, it } from 'vitest';
import { createSetupCode } from '../../lib/accounts/setup-code.ts';
import { anAccount, anAddress } from '../support/accounts.ts';
import { useOwnDatabase } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { outcome } from '../support/responses.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

useOwnDatabase();

type Mine = { room: { $oid: string }; room_name: string; role: string }[];
const roomsOf = async (token: string): Promise<Mine> => (await call('GET', '/api/members?user=me', { token })).body as Mine;
const namesOf = async (token: string) => (await roomsOf(token)).map(({ room_name }) => room_name).sort();

it('a new service has a room that everyone joins, and administrators choose more rooms for newcomers', async () => {
  const code = (await createSetupCode())?.path.split('#')[1];
  const account = { username: 'admin', email: 'ann@example.org', password: 'correct horse' };
  const { body } = await call('POST', '/api/setup', { source: anAddress(), body: { code, ...account } });
  const { token } = body as { token: string };
  const [general] = await roomsOf(token);
  expect(general).toMatchObject({ room_name: 'General', role: 'owner' });
  const path = `/api/rooms/${general?.room.$oid}/details`;
  expect((await call('GET', path, { token })).body).toMatchObject({ is_default: true, member_count: 1 });

  const first = await anAccount();
  expect(await namesOf(first.token)).toEqual(['General']);
  const events = (await call('GET', `/api/events?room=${general?.room.$oid}&after=0`, { token })).body as object[];
  expect(events).toMatchObject([{ type: 'member.joined', data: { user: { $oid: first.id } } }]);

  // Imported late, because it creates an administrator.
  const { aRoom } = await import('../support/rooms.ts');
  const plans = await aRoom({ owner: first, name: 'Plans', is_visible: false });
  const choose = (who: string, is_default: boolean) =>
    call('PATCH', `/api/rooms/${plans.id}/details`, { token: who, body: { is_default } });
  // Administrators decide which rooms new accounts join, not the rooms' owners.
  expect(outcome(await choose(first.token, true))).toEqual(refusals.denied('Admin required.'));
  expect((await choose(token, true)).body).toMatchObject({ is_default: true });
  const second = await anAccount();
  expect(await namesOf(second.token)).toEqual(['General', 'Plans']);
  expect(await namesOf(token)).toEqual(['General']);

  // An account from the command line joins as well. Nobody joins an archived room.
  await command(['user', 'create', 'bob', '--email', 'bob@example.org', '--password', 'correct horse']);
  await call('PATCH', path, { token, body: { archived: true } });
  expect((await choose(token, false)).body).toMatchObject({ is_default: false });
  expect(await namesOf((await anAccount()).token)).toEqual([]);
});
