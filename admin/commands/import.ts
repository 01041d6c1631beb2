import { closeSync, openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { openMattermost } from 'chat-service-import/mattermost';
import { openRocketChat } from 'chat-service-import/rocketchat';
import { openSlack } from 'chat-service-import/slack';
import { readToken, SlackFiles } from 'chat-service-import/slack-files';
import type { Source } from 'chat-service-import/source';
import { openZulip } from 'chat-service-import/zulip';
import { toPrintableJson } from '../../lib/base/printable-json.ts';
import { type ImportOptions, importFromSource, tooOld } from '../../lib/imports/import.ts';
import type { LeaveOut, Report } from '../../lib/imports/tally.ts';
import { UsernameMap } from '../../lib/imports/username-map.ts';
import { get } from '../../lib/net/outbound.ts';
import { config } from '../../lib/settings/config.ts';
import type { Options, Run, Streams } from '../command.ts';
import { confirm } from '../confirm.ts';
import { table } from '../output.ts';
import { progressBar } from '../progress.ts';
import { onData, recorded } from '../recorded.ts';

export const importCommands: Record<string, Run> = {
  'import slack': importing(async (path, { 'token-file': tokenFile, 'skip-unlisted': skipsUnlisted }) =>
    openSlack(path, {
      files: typeof tokenFile === 'string' ? await slackFiles(tokenFile) : undefined,
      skipsUnlisted: skipsUnlisted === true,
    }),
  ),
  'import mattermost': importing(openMattermost),
  'import zulip': importing(openZulip),
  'import rocketchat': importing(openRocketChat),
};

const slackFiles = async (tokenFile: string) =>
  new SlackFiles({ token: await readToken(tokenFile), get, maxBytes: config.files.size });

/** Creates a command that imports an archive of another chat. */
function importing(openSource: (path: string, options: Options) => Promise<Source>): Run {
  return async ([path = ''], options, streams) => {
    const { stderr } = streams;
    const usernames = typeof options.usernames === 'string' ? await UsernameMap.read(options.usernames) : undefined;
    const isDryRun = options['dry-run'] === true;
    const importing = {
      workspace: typeof options.workspace === 'string' ? options.workspace : '',
      mapsByEmail: options['map-by-email'] === true,
      takesIncomplete: options.incomplete === true,
      usernames,
    };
    if (!isDryRun && config.retentionDays > 0 && options.yes !== true)
      await askAboutOld(() => openSource(path, options), importing, streams);
    const source = await openSource(path, options);
    const bar = progressBar(stderr);
    let leftOut: ReturnType<typeof openLeftOut> | undefined;
    try {
      leftOut = openLeftOut(options['left-out']);
      const { write: leaveOut } = leftOut;
      const work = () => importFromSource(source, { ...importing, isDryRun, leaveOut, progress: bar.update });
      const report = await recorded(isDryRun ? [] : onData('data.converted', { from: source.name, file: basename(path) }), work);
      return { data: { ...report, is_dry_run: isDryRun }, text: textOf(report, options) };
    } finally {
      bar.end();
      leftOut?.close();
      await source.close();
    }
  };
}

/**
 * Counts the messages that would be deleted because of their age, and asks whether to continue
 * without them.
 */
async function askAboutOld(
  open: () => Promise<Source>,
  importing: Omit<ImportOptions, 'isDryRun' | 'leaveOut' | 'progress'>,
  streams: Streams,
): Promise<void> {
  const source = await open();
  const bar = progressBar(streams.stderr);
  try {
    const { counts } = await importFromSource(source, { ...importing, isDryRun: true, leaveOut: () => {}, progress: bar.update });
    bar.end();
    const old = counts.messages.leftOut[tooOld] ?? 0;
    if (old === 0) return;
    const said = `${old} of ${counts.messages.read} messages are older than RETENTION_DAYS (${config.retentionDays}), and are left out.`;
    await confirm(
      `${said} Import the others?`,
      false,
      streams,
      `${said} Set RETENTION_DAYS to more days, or pass --yes to import the others.`,
    );
  } finally {
    await source.close();
  }
}

/**
 * The file for records that are left out, one JSON line each. It must be new, and only its owner
 * can read it.
 */
function openLeftOut(path: Options[string]): { write: LeaveOut; close: () => void } {
  if (typeof path !== 'string') return { write: () => {}, close: () => {} };
  const file = openSync(path, 'wx', 0o600);
  return {
    write: (kind, reason, record) => void writeSync(file, `${lineOf({ kind, reason, record })}\n`),
    close: () => closeSync(file),
  };
}

/**
 * A record as a line. A record that is nested too deeply to be written becomes null; exports do not
 * contain any.
 */
function lineOf({ record, ...said }: { kind: string; reason: string; record: unknown }): string {
  try {
    return toPrintableJson({ ...said, record });
  } catch (error) {
    if (error instanceof RangeError) return toPrintableJson({ ...said, record: null });
    throw error;
  }
}

function textOf({ counts, notes }: Report, options: Options): string {
  const isDryRun = options['dry-run'] === true;
  const rows = Object.entries(counts)
    .filter(([, { read }]) => read > 0)
    .map(([kind, { read, written, present, leftOut }]) => {
      const left = Object.values(leftOut).reduce((one, other) => one + other, 0);
      return [kind, ...[read, written, present, left].map(String)];
    });
  const reasons = Object.entries(counts).flatMap(([kind, { leftOut }]) =>
    Object.entries(leftOut).map(([reason, count]) => `  ${count} ${kind}: ${reason}`),
  );
  return [
    table(['', 'READ', isDryRun ? 'TO WRITE' : 'WRITTEN', 'THERE', 'LEFT OUT'], rows),
    ...(reasons.length > 0 ? ['Left out:', ...reasons] : []),
    ...(Object.keys(notes).length > 0 ? ['Besides:', ...Object.entries(notes).map(([what, count]) => `  ${count} ${what}`)] : []),
    ...(isDryRun ? ['Nothing was written.'] : []),
  ].join('\n');
}
