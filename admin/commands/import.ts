import { closeSync, openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { openMattermost } from 'chat-service-import/mattermost';
import { openRocketChat } from 'chat-service-import/rocketchat';
import { openSlack } from 'chat-service-import/slack';
import { readToken, SlackFiles } from 'chat-service-import/slack-files';
import type { Source } from 'chat-service-import/source';
import { openZulip } from 'chat-service-import/zulip';
import { toPrintableJson } from '../../lib/base/printable-json.ts';
import { importFromSource } from '../../lib/imports/import.ts';
import type { LeaveOut, Report } from '../../lib/imports/tally.ts';
import { get } from '../../lib/net/outbound.ts';
import { config } from '../../lib/settings/config.ts';
import type { Options, Run } from '../command.ts';
import { table } from '../output.ts';
import { progressBar } from '../progress.ts';
import { onData, recorded } from '../recorded.ts';

export const importCommands: Record<string, Run> = {
  'import slack': importing(async (path, { 'token-file': tokenFile }) =>
    openSlack(path, typeof tokenFile === 'string' ? await slackFiles(tokenFile) : undefined),
  ),
  'import mattermost': importing(openMattermost),
  'import zulip': importing(openZulip),
  'import rocketchat': importing(openRocketChat),
};

const slackFiles = async (tokenFile: string) =>
  new SlackFiles({ token: await readToken(tokenFile), get, maxBytes: config.files.size });

/** A command that imports the archive of another chat. */
function importing(openSource: (path: string, options: Options) => Promise<Source>): Run {
  return async ([path = ''], options, { stderr }) => {
    const source = await openSource(path, options);
    const bar = progressBar(stderr);
    let leftOut: ReturnType<typeof openLeftOut> | undefined;
    try {
      leftOut = openLeftOut(options['left-out']);
      const { write: leaveOut } = leftOut;
      const isDryRun = options['dry-run'] === true;
      const work = () =>
        importFromSource(source, {
          workspace: typeof options.workspace === 'string' ? options.workspace : '',
          isDryRun,
          mapsByEmail: options['map-by-email'] === true,
          leaveOut,
          progress: bar.update,
        });
      const report = await recorded(isDryRun ? [] : onData('data.converted', { from: source.name, file: basename(path) }), work);
      return { data: { ...report, is_dry_run: options['dry-run'] === true }, text: textOf(report, options) };
    } finally {
      bar.end();
      leftOut?.close();
      await source.close();
    }
  };
}

/** The file for what is left out, a line of JSON for each record: new, and only its owner can read it. */
function openLeftOut(path: Options[string]): { write: LeaveOut; close: () => void } {
  if (typeof path !== 'string') return { write: () => {}, close: () => {} };
  const file = openSync(path, 'wx', 0o600);
  return {
    write: (kind, reason, record) => void writeSync(file, `${lineOf({ kind, reason, record })}\n`),
    close: () => closeSync(file),
  };
}

/** A record as a line; without what is in it where that is nested deeper than can be written, as no export is. */
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
