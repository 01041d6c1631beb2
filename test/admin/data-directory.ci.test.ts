import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataDirectories } from '../support/data-directories.ts';
import { asProcess, runCommand } from '../support/run-command.ts';
import { slackUser, writeSlackExport } from '../support/slack-export.ts';
import { isEmbedded } from '../support/worker.ts';

const { directory, environmentOf } = dataDirectories('chat-admin');
const administer = (name: string, words: string[], input = '') => asProcess(words, { input, environment: environmentOf(name) });

/** A data directory with an account. */
async function aDirectory(name: string): Promise<void> {
  const words = ['user', 'create', 'ann', '--email', 'ann@example.org', '--admin', '--password-stdin'];
  expect(await administer(name, words, 'open sesame\n')).toEqual({
    code: 0,
    stdout: 'Created the administrator ann.\n',
    stderr: '',
  });
}

describe.runIf(isEmbedded)('a data directory without a database', () => {
  it.each([
    ['user list', ['user', 'list']],
    ['user show', ['user', 'show', 'ann']],
    ['token create', ['token', 'create', 'ann', '--name', 'laptop']],
    ['export', ['export', join(directory, 'none.ndjson')]],
    ['database check', ['database', 'check']],
  ])('a data directory without a database is an error for %s, which creates nothing', async (_name, words) => {
    for (const place of ['typo', 'empty']) {
      await mkdir(join(directory, 'empty'), { recursive: true });
      expect(await administer(place, words)).toEqual({
        code: 1,
        stdout: '',
        stderr: `No database found in ${join(directory, place)}. Set DATA_DIR to the directory of the database, or MONGODB_URI to a connection string.\n`,
      });
      expect(existsSync(join(directory, 'typo'))).toBe(false);
      // The attempt is recorded, and nothing else.
      expect((await readdir(join(directory, 'empty'))).filter((file) => file !== 'audit.log')).toEqual([]);
    }
  });

  it.each([[['--help']], [['user', 'list', '--help']], [['user']], [['user', 'create', 'ann']]])(
    'a data directory without a database is left alone by %j',
    async (words) => {
      await administer('typo', words);
      expect(existsSync(join(directory, 'typo'))).toBe(false);
    },
  );

  it('a data directory gets a database from the first account, and from an import', async () => {
    await aDirectory('source');
    const file = join(directory, 'all.ndjson');
    expect(await administer('source', ['export', file])).toMatchObject({ code: 0, stderr: '' });
    expect(await administer('target', ['import', file])).toMatchObject({ code: 0, stderr: '' });
    expect((await administer('target', ['user', 'list'])).stdout).toContain('ann@example.org');
    const archive = join(directory, 'slack.zip');
    await writeSlackExport(archive, { users: [slackUser('U1', 'bob')] });
    expect(await administer('moved', ['import', 'slack', archive])).toMatchObject({ code: 0, stderr: '' });
    expect((await administer('moved', ['user', 'list'])).stdout).toMatch(/^bob /m);
  });
});

describe.runIf(isEmbedded)('npm run backup', () => {
  it('npm run backup copies the database into a new directory, which is a complete data directory', async () => {
    await aDirectory('kept');
    const copy = join(directory, 'copies', '2026-11-21');
    const backUp = () => runCommand(['npm', 'run', '--silent', 'backup', '--', copy], { environment: environmentOf('kept') });
    const isDone = new RegExp(
      `^The database was copied into ${copy}, and the copy is valid\\.\n(.*\n)*chat\\.users: 1 documents\n`,
    );
    expect(await backUp()).toEqual({ code: 0, stdout: expect.stringMatching(isDone), stderr: '' });
    expect((await stat(copy)).mode & 0o777).toBe(0o700);
    expect((await administer('copies/2026-11-21', ['user', 'list'])).stdout).toContain('ann@example.org');
    expect(await backUp()).toEqual({
      code: 1,
      stdout: '',
      stderr: `There is something at ${copy} already; nothing was copied.\n`,
    });
    expect(await readFile(join(directory, 'kept', 'audit.log'), 'utf8')).toContain('"command":"backup"');
  });
});
