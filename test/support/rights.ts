import { ObjectId } from 'mongodb';
import { changeUser } from '../../lib/accounts/accounts.ts';
import type { Account } from './accounts.ts';
import type { TestRoom } from './rooms.ts';
import type { Call } from './transports.ts';

type End = (room: TestRoom, member: string, account: Account) => Promise<unknown>;

/** The ways to end a room moderator's rights, as rows of a test table. */
export const endsOfRights = (call: Call): [string, End][] => [
  ['is banned', ({ owner }, member) => call('DELETE', `/api/members/${member}?ban=true`, { token: owner.token })],
  ['is removed', ({ owner }, member) => call('DELETE', `/api/members/${member}`, { token: owner.token })],
  ['leaves', (_room, member, { token }) => call('DELETE', `/api/members/${member}`, { token })],
  [
    'is a moderator no longer',
    ({ owner }, member) => call('PATCH', `/api/members/${member}`, { token: owner.token, body: { role: 'member' } }),
  ],
  [
    'deletes the account',
    (_room, _member, { token, password: current_password }) =>
      call('DELETE', '/api/users/me', { token, body: { current_password } }),
  ],
  ['is deactivated', (_room, _member, { id }) => changeUser(new ObjectId(id), { is_active: false })],
];
