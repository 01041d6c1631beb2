import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type ExportedEntry, exportedEntries, verifyTrail } from '../../lib/audit/trail.ts';
import type { Run } from '../command.ts';
import { printJson } from '../output.ts';
import { onData, recorded } from '../recorded.ts';

export const auditCommands: Record<string, Run> = {
  'audit export': async (_operands, _options, { stdout }) => {
    let entries = 0;
    await recorded(onData('audit.exported'), async () => {
      for await (const entry of exportedEntries()) {
        printJson(stdout, entry);
        entries++;
      }
    });
    return { data: { entries }, text: `Exported ${entries} entries.`, isNote: true };
  },
  'audit verify': async (_operands, { against }) => {
    const { problem, ...found } = await verifyTrail(typeof against === 'string' ? await readExport(against) : []);
    if (problem !== null) throw new Error(`The audit log is not complete. ${problem}`);
    const text =
      found.first === null ? 'The audit log is empty.' : `The audit log is complete: entries ${found.first} to ${found.last}.`;
    return { data: found, text };
  },
};

/** Reads the numbers and hashes in a file from `audit export`. */
async function readExport(path: string): Promise<ExportedEntry[]> {
  const entries: ExportedEntry[] = [];
  let count = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    count++;
    if (line !== '') entries.push(entryOf(line, `Line ${count} of ${path} is not an entry of the audit log.`));
  }
  if (entries.length === 0) throw new Error(`The file ${path} does not contain entries of the audit log.`);
  return entries;
}

function entryOf(line: string, refusal: string): ExportedEntry {
  try {
    const { seq, hash } = JSON.parse(line);
    if (Number.isInteger(seq) && typeof hash === 'string') return { seq, hash };
  } catch {
    // Other lines without a hash end here as well.
  }
  throw new Error(refusal);
}
