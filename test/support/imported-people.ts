import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { aName } from './accounts.ts';
import { admin as command } from './run-command.ts';
import { type SlackExport, slackMessage, slackUser, tsOf, writeSlackExport } from './slack-export.ts';

/** Imports an archive of Slack, and returns the report. */
export async function importSlack(exported: SlackExport, ...words: string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'chat-people-'));
  try {
    const file = join(directory, 'export.zip');
    await writeSlackExport(file, exported);
    const ended = await command(['import', 'slack', file, '--json', ...words]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ended.stdout);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** An imported person with a unique name. */
export async function anImportedPerson(more: object = {}, email = `${aName()}@example.org`) {
  const [workspace, username] = [aName(), aName()];
  const user = slackUser('U1', username, { profile: { real_name: username, email }, ...more });
  await importSlack({ users: [user] }, '--workspace', workspace);
  const { _id } = JSON.parse((await command(['user', 'show', username, '--json'])).stdout);
  return { id: _id.$oid as string, username, email, workspace, user };
}

/** A workspace with two people, a room and a conversation, all with unique names. */
export function aWorkspace() {
  const [workspace, ann, bob, room] = [aName(), aName(), aName(), aName()];
  const person = (id: string, name: string, more: object = {}) =>
    slackUser(id, name, { profile: { real_name: name, email: `${name}@example.org` }, ...more });
  const exported: SlackExport = {
    users: [person('U1', ann), person('U2', bob)],
    channels: [{ id: 'C1', name: room, members: ['U1', 'U2'], creator: 'U1' }],
    dms: [{ id: 'D1', members: ['U1', 'U2'] }],
    days: {
      [`${room}/2020-01-01`]: [
        slackMessage('U1', 1, 'One'),
        slackMessage('U2', 2, 'Two', { thread_ts: tsOf(1) }),
        slackMessage('U2', 3, 'Three'),
      ],
      'D1/2020-01-01': [slackMessage('U1', 4, 'For two')],
    },
  };
  const run = (changed: SlackExport = exported, ...words: string[]) => importSlack(changed, '--workspace', workspace, ...words);
  const undo = async (...words: string[]) => {
    const ended = await command(['import', 'undo', workspace, '--yes', '--json', ...words]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ended.stdout);
  };
  return { workspace, ann, bob, room, exported, person, run, undo };
}

/** True if an account has this username. */
export const exists = async (username: string): Promise<boolean> => (await command(['user', 'show', username])).code === 0;
