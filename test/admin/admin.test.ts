import { randomBytes } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { commands, loadRun } from '../../admin/commands.ts';
import { database } from '../../lib/database/client.ts';
import { preloading } from '../../tools/harness/preload.ts';
import { admin, asProcess, runCommand } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

const users = database.collection('users');
const aName = () => `admin-${randomBytes(6).toString('hex')}`;
const create = (name: string, ...options: string[]) =>
  admin(['user', 'create', name, '--email', `${name}@example.org`, '--password-stdin', ...options], 'open sesame\n');

describe('user create', () => {
  it.each([
    ['an administrator', ['--admin'], true],
    ['a user', [], false],
  ])('user create creates %s, and stores the password only as a bcrypt hash', async (_what, options, isAdmin) => {
    const name = aName();
    expect(await create(name, ...options)).toEqual({
      code: 0,
      stdout: `Created the ${isAdmin ? 'administrator' : 'user'} ${name}.\n`,
      stderr: '',
    });
    const account = await users.findOne({ username: name });
    expect(account).toMatchObject({ email: `${name}@example.org`, is_admin: isAdmin, is_active: true });
    expect(await bcrypt.compare('open sesame', account?.password_hash)).toBe(true);
    expect(JSON.stringify(account)).not.toContain('open sesame');
  });

  it('user create prints JSON for programs', async () => {
    const name = aName();
    const { stdout } = await create(name, '--json');
    expect(JSON.parse(stdout)).toEqual({
      _id: { $oid: expect.any(String) },
      username: name,
      email: `${name}@example.org`,
      is_admin: false,
      is_active: true,
      created_at: { $date: expect.any(String) },
      shows_presence: true,
    });
  });

  it.each([
    ['a name that is taken', (name: string) => create(name).then(() => create(name)), 'The username is already in use.'],
    [
      'a name that is taken in another case',
      (name: string) => create(name).then(() => create(name.toUpperCase())),
      'The username is already in use.',
    ],
    [
      'a malformed name',
      (name: string) => create(`-${name}`.replace('-', '.')),
      "The 'username' parameter must be 1 to 64 letters",
    ],
    [
      'a short password',
      (name: string) => admin(['user', 'create', name, '--email', 'a@b.c', '--password-stdin'], 'sesame\n'),
      "The 'password' parameter must have at least 8 characters and at most 72 bytes, and not be one",
    ],
    [
      'a password of 73 bytes, the last of which bcrypt would ignore',
      (name: string) => admin(['user', 'create', name, '--email', 'a@b.c', '--password-stdin'], `${'é'.repeat(36)}x\n`),
      "The 'password' parameter must have at least 8 characters and at most 72 bytes, and not be one",
    ],
    [
      'no password',
      (name: string) => admin(['user', 'create', name, '--email', 'a@b.c']),
      'Type the password at a terminal, or pipe it in with --password-stdin.',
    ],
  ])('user create refuses %s in one sentence, with exit status 1', async (_what, run, sentence) => {
    const { code, stdout, stderr } = await run(aName());
    expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 });
    expect(stderr).toContain(sentence);
  });
});

describe('user password', () => {
  it('user password changes the password of an account', async () => {
    const name = aName();
    await create(name);
    expect(await admin(['user', 'password', name, '--password-stdin'], 'simsalabim\n')).toEqual({
      code: 0,
      stdout: `Changed the password of ${name}.\n`,
      stderr: '',
    });
    const account = await users.findOne({ username: name });
    expect(await bcrypt.compare('simsalabim', account?.password_hash)).toBe(true);
  });

  it('user password reports an unknown account', async () => {
    expect(await admin(['user', 'password', aName(), '--password-stdin'], 'simsalabim\n')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No such user.\n',
    });
  });
});

describe('token create', () => {
  it('token create prints only a token, and the API accepts it', async () => {
    const name = aName();
    await create(name, '--admin');
    const { code, stdout, stderr } = await admin(['token', 'create', name, '--name', 'laptop']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.stringMatching(/^[a-z0-9]{32}\n$/), stderr: '' });
    expect((await call('GET', '/api/rooms', { token: stdout.trim() })).status).toBe(200);
  });
});

describe('the command line', () => {
  it.each([
    ['an unknown command', ['user', 'frobnicate'], "Unknown command 'user frobnicate'."],
    ['a missing option', ['user', 'create', 'ann', '--password-stdin'], 'The option --email is required.'],
    ['an unknown option', ['token', 'create', 'ann', '--colour', 'red'], "Unknown option '--colour'"],
    ['too many arguments', ['database', 'check', 'now'], 'There are too many arguments.'],
    ['too few arguments', ['user', 'password'], 'An argument is missing.'],
  ])('the command line answers %s with the usage and exit status 2', async (_what, words, sentence) => {
    const { code, stdout, stderr } = await admin(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('Usage:\n  npm run --silent admin -- ');
  });

  it.each([[['--help']], [['user', '--help']], [[]]])('the command line explains each command on request: %j', async (words) => {
    const { code, stdout, stderr } = await admin(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ {2}user create +Creates an account\.$/m);
    expect(stdout).toContain('--json');
    expect(stdout.includes('room create')).toBe(words[0] !== 'user');
  });

  it('the command line says how a command is used', async () => {
    expect(await admin(['user', 'create', '--help'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Usage:\n {2}npm run --silent admin -- user create <username> --email <email> \[--admin\] \[--password-stdin\]\n\nCreates an account\./,
      ),
      stderr: '',
    });
  });

  it('the command line has something that carries out each command', async () => {
    const names = Object.keys(commands);
    expect(await Promise.all(names.map(loadRun))).toEqual(names.map(() => expect.any(Function)));
  });

  it.each([
    ['of another kind', 'postgres://127.0.0.1/', 'Set MONGODB_URI to a connection string that starts with mongodb://'],
    [
      'unreachable',
      'mongodb://127.0.0.1:1/',
      "The database can't be reached (connect ECONNREFUSED 127.0.0.1:1): check MONGODB_URI",
    ],
  ])('the command line reports in one sentence that the database is %s', async (_what, uri, sentence) => {
    const { code, stderr } = await asProcess(['database', 'check'], { environment: { MONGODB_URI: uri } });
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
    expect(stderr).toContain(sentence);
  });
});

describe('a process of the command line', () => {
  it('a process of the command line reads its standard input, prints the result, and reports success by its exit status', async () => {
    const name = aName();
    const words = ['user', 'create', name, '--email', `${name}@example.org`, '--password-stdin'];
    const input = 'open sesame\n';
    expect(await asProcess(words, { input })).toEqual({ code: 0, stdout: `Created the user ${name}.\n`, stderr: '' });
    expect(await asProcess(words, { input })).toEqual({ code: 1, stdout: '', stderr: 'The username is already in use.\n' });
    expect(await asProcess(['user', 'rename'], { input })).toMatchObject({ code: 2, stdout: '' });
    const { code, stdout } = await asProcess(['user', 'show', name, '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ username: name })]);
  });
});

describe('an import', () => {
  /** Makes each process log its flags at its start and its end. */
  const saying = `
    const say = (when) => console.error(when, process.pid, ...process.execArgv.slice(-2));
    say('begins');
    process.on('exit', () => say('ends'));
  `;
  const ask = async (...flags: string[]) => {
    const words = ['node', ...flags, 'admin/main.ts', 'import', 'slack', '/nowhere.zip'];
    const { stderr, code } = await runCommand(words, { environment: preloading(saying) });
    expect(code).toBe(1);
    return stderr.split('\n').filter((line) => /^(begins|ends) /.test(line));
  };

  it('an import takes as little memory however it is started: the process replaces itself by one with the flags of npm run admin', async () => {
    const lines = await ask();
    const pid = lines[0]?.split(' ')[1];
    expect(lines).toEqual([
      `begins ${pid}`,
      `begins ${pid} --max-semi-space-size=16 --heap-growing-percent=30`,
      `ends ${pid} --max-semi-space-size=16 --heap-growing-percent=30`,
    ]);
  });

  it('an import starts once if no required flag is missing', async () => {
    const lines = await ask('--max-semi-space-size=32', '--heap-growing-percent=60');
    const pid = lines[0]?.split(' ')[1];
    expect(lines).toEqual(['begins', 'ends'].map((when) => `${when} ${pid} --max-semi-space-size=32 --heap-growing-percent=60`));
  });
});
