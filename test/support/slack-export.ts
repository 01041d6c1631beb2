import { writeFile } from 'node:fs/promises';
import { type ZipEntry, zipOf } from './zip.ts';

/** The lists of a workspace, and the messages of each folder, by day. */
export type SlackExport = {
  users?: unknown[];
  channels?: unknown[];
  groups?: unknown[];
  dms?: unknown[];
  mpims?: unknown[];
  days?: Record<string, unknown>;
};

/** The entries of an archive in Slack's export format. */
export const slackEntries = ({ days = {}, ...lists }: SlackExport): ZipEntry[] => [
  ...Object.entries({ users: [], channels: [], ...lists }).map(([name, list]) => ({
    name: `${name}.json`,
    bytes: JSON.stringify(list),
  })),
  ...Object.entries(days).map(([name, list]) => ({
    name: `${name}.json`,
    bytes: typeof list === 'string' ? list : JSON.stringify(list),
  })),
];

/** Writes an archive in Slack's export format. */
export const writeSlackExport = (path: string, exported: SlackExport, more: ZipEntry[] = []): Promise<void> =>
  writeFile(path, zipOf([...slackEntries(exported), ...more]));

/** A user of a workspace. */
export const slackUser = (id: string, name: string, more: object = {}) => ({ id, name, profile: { real_name: name }, ...more });

/** A message; its time is this many seconds after the beginning of 2020. */
export const slackMessage = (user: string, second: number, text: string, more: object = {}) => ({
  type: 'message',
  user,
  text,
  ts: tsOf(second),
  ...more,
});

/** A time in Slack's format. */
export const tsOf = (second: number) => `${1_577_836_800 + second}.000100`;
