import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { commandsMarked } from '../support/document-blocks.ts';
import { aRoomWithBot, press } from '../support/questions.ts';
import { runCommand } from '../support/run-command.ts';
import { serveUrl } from '../support/services.ts';
import { overHttp } from '../support/transports.ts';

it('the command of the documentation asks with buttons, once however often it runs, and a person answers', async () => {
  const url = await serveUrl();
  const { room, bot, ann } = await aRoomWithBot();
  const directory = await mkdtemp(join(tmpdir(), 'asking-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'bot.token'), `X-Auth-Token: ${bot.token}\n`);
  const [command, ...others] = commandsMarked('bot');
  expect(others).toEqual([]);
  const environment = { API: url, ROOM: room.id, DIRECTORY: directory };
  const ask = () => runCommand(['bash', '-euc', `cd "$DIRECTORY"\n${command?.code}`], { environment });
  const [first, second] = [await ask(), await ask()];
  expect([first.code, second.code], first.stdout + first.stderr).toEqual([0, 0]);
  expect(second.stdout).toBe(first.stdout);
  const message = JSON.parse(first.stdout);
  const pressed = await press(ann, message, 'deploy', { version: message.version }, overHttp(url));
  expect(pressed).toMatchObject({
    status: 200,
    body: { is_approval: true, presses: [{ action: 'deploy', user: { $oid: ann.id } }] },
  });
});
