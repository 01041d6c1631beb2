import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openSlack } from 'chat-service-import/slack';
import { SlackFiles } from 'chat-service-import/slack-files';
import { afterAll, describe, expect, it } from 'vitest';
import { importFromSource } from '../../lib/imports/import.ts';
import { get } from '../../lib/net/outbound.ts';
import { config } from '../../lib/settings/config.ts';
import { aName } from '../support/accounts.ts';
import { directory, historyOf } from '../support/imported.ts';
import { admin as command } from '../support/run-command.ts';
import { slackMessage, slackUser, writeSlackExport } from '../support/slack-export.ts';

/** The requests to the server, and their tokens. */
const asked: { path: string; authorization: string | undefined }[] = [];
const server = createServer((request, response) => {
  const path = request.url ?? '';
  asked.push({ path, authorization: request.headers.authorization });
  const count = asked.filter((one) => one.path === path).length;
  const [, what = ''] = path.split('/').slice(-2);
  if (what === 'once-busy' && count === 1) response.writeHead(503).end();
  else if (what === 'once-limited' && count === 1) response.writeHead(429, { 'retry-after': '0' }).end();
  else if (what === 'once-cut' && count === 1) {
    response.writeHead(200, { 'content-length': '5' }).write('No');
    setTimeout(() => response.destroy(), 20);
  } else if (what === 'busy') response.writeHead(500).end();
  else if (what === 'elsewhere') response.writeHead(302, { location: '/signed-in' }).end('<html>');
  else if (what === 'gone') response.writeHead(404).end();
  else if (what === 'longer') response.end('Notes and more');
  else response.end('Notes');
});
server.listen(0, '127.0.0.1').unref();
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => void server.close());

/** An archive with a message for each of these addresses of files. */
async function anArchive(addresses: string[], more: object = {}) {
  const [workspace, room] = [aName(), aName()];
  const file = join(directory, `${aName()}.zip`);
  await writeSlackExport(file, {
    users: [slackUser('U1', aName())],
    channels: [{ id: 'C1', name: room, creator: 'U1', members: ['U1'] }],
    days: {
      [`${room}/2020-01-01`]: addresses.map((address, at) =>
        slackMessage('U1', at + 1, `(${at})`, {
          files: [
            {
              ...{
                id: `F${at}`,
                name: 'notes.txt',
                title: 'My notes',
                size: 5,
                permalink: `https://team.slack.com/files/F${at}`,
              },
              ...{ url_private: address, url_private_download: address, ...more },
            },
          ],
        }),
      ),
    },
  });
  const run = async (files?: SlackFiles) => {
    const source = await openSlack(file, { files });
    try {
      const [isDryRun, mapsByEmail] = [false, false];
      return await importFromSource(source, { workspace, isDryRun, mapsByEmail, leaveOut: () => {}, progress: () => {} });
    } finally {
      await source.close();
    }
  };
  const history = async () => {
    return (await historyOf(room)).map(({ text, files }) => [text, files.map(({ name, type, size }) => [name, type, size])]);
  };
  return { file, workspace, run, history };
}

const aPath = (what: string) => `${origin}/${aName()}/${what}`;
const filesOf = () =>
  new SlackFiles({ token: 'xoxb-secret', get, maxBytes: config.files.size, origin, mayBeInner: true, pauses: [1, 1] });
const notes = ['notes.txt', 'text/plain', 5];

describe('import slack with a token', () => {
  it('import slack with a token stores the files of messages, each asked for once with the token, and changes nothing when it runs again', async () => {
    const addresses = [aPath('a'), aPath('b')];
    const { run, history } = await anArchive(addresses);
    expect((await run(filesOf())).counts.files).toEqual({ read: 2, written: 2, present: 0, leftOut: {} });
    expect(await history()).toEqual([
      ['(0)', [notes]],
      ['(1)', [notes]],
    ]);
    const paths = addresses.map((address) => new URL(address).pathname);
    const seen = () => asked.filter(({ path }) => paths.includes(path));
    expect(seen()).toEqual(paths.map((path) => ({ path, authorization: 'Bearer xoxb-secret' })));
    expect((await run(filesOf())).counts.files).toMatchObject({ present: 2, written: 0 });
    expect(seen()).toHaveLength(2);
  });

  it.each([['once-busy'], ['once-limited'], ['once-cut']])('import slack asks again if the answer was "%s"', async (what) => {
    const { run, history } = await anArchive([aPath(what)]);
    expect((await run(filesOf())).counts.files).toMatchObject({ read: 1, written: 1 });
    expect(await history()).toEqual([['(0)', [notes]]]);
  });

  it.each([
    ['busy', 3],
    ['elsewhere', 1],
    ['gone', 1],
    ['longer', 1],
  ])('import slack with a token leaves a link to a file if the answer is "%s" after %i attempts', async (what, attempts) => {
    const address = aPath(what);
    const { run, history } = await anArchive([address]);
    expect((await run(filesOf())).counts.files).toMatchObject({
      read: 1,
      written: 0,
      leftOut: { 'could not be fetched: a link to it stands in the message': 1 },
    });
    expect(await history()).toEqual([['(0)\n\n[notes.txt](https://team.slack.com/files/F0)', []]]);
    expect(asked.filter(({ path }) => path === new URL(address).pathname)).toHaveLength(attempts);
  });

  it('import slack with a token leaves a link to a file with fewer bytes than the archive says, such as a page for signing in', async () => {
    const { run, history } = await anArchive([aPath('a')], { size: 7 });
    expect((await run(filesOf())).counts.files).toMatchObject({ written: 0 });
    expect(await history()).toEqual([['(0)\n\n[notes.txt](https://team.slack.com/files/F0)', []]]);
  });

  it('import slack with a token asks for nothing more after 20 files in a row that it could not get', async () => {
    const addresses = Array.from({ length: 25 }, () => aPath('gone'));
    const { run } = await anArchive(addresses);
    expect((await run(filesOf())).counts.files).toMatchObject({ read: 25, written: 0 });
    const paths = new Set(addresses.map((address) => new URL(address).pathname));
    expect(asked.filter(({ path }) => paths.has(path))).toHaveLength(20);
  });

  it.each([
    ['another host', 'https://files.example.org/a'],
    ['a host that begins like it', `${origin}.example.org/a`],
    ['an address with a name', `${origin.replace('//', '//user@')}/a`],
    ['another scheme', `file:///etc/passwd`],
    ['no address', 'words'],
  ])('import slack with a token sends no token to %s, and leaves a link', async (_what, address) => {
    const count = asked.length;
    const { run, history } = await anArchive([address]);
    expect((await run(filesOf())).counts.files).toMatchObject({
      leftOut: { 'not in the archive: a link to it stands in the message': 1 },
    });
    expect(await history()).toEqual([['(0)\n\n[My notes](https://team.slack.com/files/F0)', []]]);
    expect(asked.slice(count).filter(({ path }) => path === '/a')).toEqual([]);
  });

  it('import slack with a token reads the token of a file by the command, and asks only Slack itself for files', async () => {
    const [address, token] = [aPath('a'), join(directory, aName())];
    await writeFile(token, 'xoxb-secret\n');
    const { file, workspace, history } = await anArchive([address]);
    const words = ['import', 'slack', file, '--workspace', workspace, '--token-file', token, '--json'];
    expect(await command(words)).toMatchObject({ code: 0, stderr: '' });
    expect(await history()).toEqual([['(0)\n\n[My notes](https://team.slack.com/files/F0)', []]]);
    expect(asked.filter(({ path }) => path === new URL(address).pathname)).toEqual([]);
  });

  it.each([
    ['is empty', ''],
    ['has several lines', 'xoxb-1\nxoxb-2'],
    ['is too long', 'x'.repeat(5_000)],
  ])('import slack with a token refuses a file for the token that %s', async (_what, content) => {
    const token = join(directory, aName());
    await writeFile(token, content);
    const { file } = await anArchive([]);
    const ended = await command(['import', 'slack', file, '--token-file', token]);
    expect(ended).toMatchObject({ code: 1, stderr: `The file ${token} does not have a token alone.\n` });
  });
});
