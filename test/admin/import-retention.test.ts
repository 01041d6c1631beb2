import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sweepMessages } from '../../lib/messages/retention.ts';
import { aName } from '../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../support/config.ts';
import { directory, historyOf, roomNamed } from '../support/imported.ts';
import { admin as command } from '../support/run-command.ts';
import { slackMessage, slackUser, tsOf, writeSlackExport } from '../support/slack-export.ts';

useConfig({ RETENTION_DAYS: '30' });
useOwnDatabase();

it('an import counts the messages that the service would delete by their age, asks about them, and leaves them out', async () => {
  const [file, room, ann] = [join(directory, `${aName()}.zip`), aName(), aName()];
  const now = Math.floor(Date.now() / 1_000) - 1_577_836_800;
  const days = {
    [`${room}/2020-01-01`]: [slackMessage('U1', 1, 'Old', { reactions: [{ name: 'owl', users: ['U1'] }] })],
    [`${room}/2026-01-01`]: [slackMessage('U1', now, 'A new reply', { thread_ts: tsOf(1) })],
  };
  await writeSlackExport(file, { users: [slackUser('U1', ann)], channels: [{ id: 'C1', name: room }], days });
  const run = (...words: string[]) => command(['import', 'slack', file, '--workspace', room, '--json', ...words]);
  const left = { 'older than the room keeps messages (RETENTION_DAYS)': 1 };

  expect(JSON.parse((await run('--dry-run')).stdout).counts.messages).toMatchObject({ read: 2, written: 1, leftOut: left });
  const asked = await run();
  expect(asked).toMatchObject({ code: 1, stdout: '' });
  expect(asked.stderr).toContain('1 of 2 messages are older than RETENTION_DAYS (30)');
  expect(await roomNamed(room)).toBe('');
  const report = JSON.parse((await run('--yes')).stdout);
  expect(report.counts).toMatchObject({ messages: { written: 1, leftOut: left }, reactions: { read: 1 } });
  expect(await sweepMessages()).toBe(0);
  expect((await historyOf(room)).map(({ text }) => text)).toEqual(['A new reply']);
});
