import { describe, expect, it } from 'vitest';
import { aName, anAccount, anAdmin } from '../support/accounts.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

const admin = await anAdmin();
const find = async (username: string) =>
  (await call('GET', `/api/users?username=${username}`, { token: admin.token })).body as { _id: { $oid: string } }[];

describe('bot create', () => {
  it('bot create creates a bot and prints a token once, for reading and writing in its rooms', async () => {
    const [owner, name] = [await anAccount(), aName()];
    const { code, stdout, stderr } = await command(['bot', 'create', name, '--owner', owner.username, '--name', 'Deploys']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.stringMatching(/^[a-z0-9]{32}\n$/), stderr: '' });
    const [{ _id } = { _id: { $oid: '' } }] = await find(name);
    const me = await call('GET', '/api/users/me', { token: stdout.trim() });
    expect(me).toMatchObject({ status: 200, body: { _id, username: name, name: 'Deploys', is_bot: true } });
    const [token] = (await call('GET', `/api/tokens?user=${_id.$oid}`, { token: owner.token })).body as { scopes: string[] }[];
    expect(token?.scopes).toEqual(['rooms:read', 'members:read', 'messages:read', 'messages:write']);
  });

  it('bot create creates a bot of the administrators, with other scopes, and prints it for programs', async () => {
    const name = aName();
    const { stdout } = await command(['bot', 'create', name, '--scope', 'messages:read', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ username: name, owner: null, token: expect.stringMatching(/^[a-z0-9]{32}$/) });
  });

  it.each<[what: string, words: () => Promise<string[]>, sentence: string]>([
    ['a name that is taken', async () => [(await anAccount()).username], 'The username is already in use.'],
    ['an unknown owner', async () => [aName(), '--owner', 'nobody-at-all'], 'No such user.'],
    ['an unknown scope', async () => [aName(), '--scope', 'everything'], "The 'scope' parameter must"],
  ])('bot create refuses %s', async (_what, words, sentence) => {
    const ended = await command(['bot', 'create', ...(await words())]);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(sentence);
  });
});

describe('token create for a bot', () => {
  const create = (name: string, ...options: string[]) => command(['token', 'create', name, '--name', 'second', ...options]);

  it('token create for a bot prints a token with the scopes that are asked for, and refuses one without scopes', async () => {
    const name = aName();
    await command(['bot', 'create', name]);
    expect(await create(name)).toEqual({
      code: 1,
      stdout: '',
      stderr: "The 'scope' parameter must have at least one scope for a bot.\n",
    });
    expect((await create(name, '--scope', 'messages:read')).code).toBe(0);
  });

  it('token create for a bot is refused while nobody who is active answers for the bot', async () => {
    const [owner, name] = [await anAccount(), aName()];
    await command(['bot', 'create', name, '--owner', owner.username]);
    await command(['user', 'deactivate', owner.username]);
    const refused = await create(name, '--scope', 'messages:read');
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
    expect(refused.stderr).toBe("The bot's owner is deactivated: give the bot to another owner first.\n");
    await command(['bot', 'give', name, '--to-administrators']);
    expect((await create(name, '--scope', 'messages:read')).code).toBe(0);
  });
});

describe('bot list and bot give', () => {
  it('bot list shows the owners of bots, and bot give changes the owner and ends the tokens', async () => {
    const [first, second, name] = [await anAccount(), await anAccount(), aName()];
    const { stdout: token } = await command(['bot', 'create', name, '--owner', first.username]);
    const rowOf = async () => (await command(['bot', 'list'])).stdout.split('\n').find((line) => line.includes(name));
    expect(await rowOf()).toContain(first.id);
    expect(await command(['bot', 'give', name, '--owner', second.username])).toEqual({
      code: 0,
      stdout: `Gave ${name} to another owner, and deleted its tokens and commands.\n`,
      stderr: '',
    });
    expect(await rowOf()).toContain(second.id);
    expect((await call('GET', '/api/users/me', { token: token.trim() })).status).toBe(401);
    expect((await command(['bot', 'give', name, '--to-administrators'])).code).toBe(0);
    expect(await rowOf()).toContain('administrators');
  });

  it('bot list and bot give name missing arguments and accounts that are not bots', async () => {
    const person = await anAccount();
    expect((await command(['bot', 'give', person.username])).stderr).toContain('Give either --owner or --to-administrators.');
    expect((await command(['bot', 'give', person.username, '--to-administrators'])).stderr).toContain('No such bot.');
  });
});

it.each(['password', 'code', 'promote'])('user %s refuses a bot, as which nobody can sign in', async (verb) => {
  const name = aName();
  await command(['bot', 'create', name]);
  const words = ['user', verb, name, ...(verb === 'password' ? ['--password-stdin'] : [])];
  const { code, stderr } = await command(words, 'another horse\n');
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('The account is a bot') });
});
