import { describe, expect, it } from 'vitest';
import { aName, anAccount, logIn } from '../support/accounts.ts';
import { adminAtTerminal, type Dialogue, hasTerminal } from '../support/terminal.ts';
import { inProcess as call } from '../support/transports.ts';

const create = (name: string, dialogue: Dialogue) =>
  adminAtTerminal(['user', 'create', name, '--email', `${name}@example.org`], dialogue);

// Needs `script` of util-linux.
describe.runIf(hasTerminal)('a command at a terminal', () => {
  it('a new password is asked for twice at a terminal, and never shown', async () => {
    const name = aName();
    const { code, screen } = await create(name, [
      ['Password: ', 'open sesame\r'],
      ['Once more: ', 'open sesame\r'],
    ]);
    expect(code).toBe(0);
    expect(screen).toContain(`Created the user ${name}.`);
    expect(screen).not.toContain('sesame');
    expect((await logIn(call, name, 'open sesame')).status).toBe(201);
  });

  it.each<[string, Dialogue, string]>([
    [
      'two passwords that differ',
      [
        ['Password: ', 'open sesame\r'],
        ['Once more: ', 'open sesamy\r'],
      ],
      'The two passwords are not the same: nothing was changed.',
    ],
    ['Ctrl-C', [['Password: ', 'open\u0003']], 'Interrupted: nothing was changed.'],
    ['Ctrl-D', [['Password: ', '\u0004']], 'No password was typed: nothing was changed.'],
  ])('no account is created at a terminal after %s', async (_what, dialogue, sentence) => {
    const name = aName();
    const { code, screen } = await create(name, dialogue);
    expect(code).toBe(1);
    expect(screen).toContain(sentence);
    expect(screen).not.toContain('sesam');
    expect((await logIn(call, name, 'open sesame')).status).toBe(401);
  });

  it.each([
    ['yes', 'yes\r', 0, 401],
    ['no', 'no\r', 1, 200],
    ['nothing', '\r', 1, 200],
    ['Ctrl-C', '\u0003', 1, 200],
  ])('user delete asks at a terminal, and understands %s', async (_what, answer, code, status) => {
    const { username, token } = await anAccount();
    const ended = await adminAtTerminal(['user', 'delete', username], [['Type yes to continue: ', answer]]);
    expect(ended.code).toBe(code);
    expect(ended.screen).toContain(code === 0 ? `Deleted ${username}.` : 'Nothing was changed.');
    expect((await call('GET', '/api/users/me', { token })).status).toBe(status);
  });
});
