import { cpSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BSON } from 'mongodb';
import { expectedIndexes } from '../../../lib/operating/prepare.ts';
import { placedDocuments } from '../../../packages/embedded-mongodb/test/support/document-pages.ts';
import type { Random } from '../../../packages/embedded-mongodb/test/support/random.ts';
import { type Damage, type DamageKind, fileKinds, pageKinds } from './file-damage.ts';
import { logKinds } from './log-damage.ts';
import { type Ended, type JobRunner, processesWith } from './pool.ts';
import { rowKinds } from './row-damage.ts';
import { copyTemplate, type Template, type TemplateEnd } from './template.ts';
import type { Job } from './worker.ts';

/** A template and its export: the pages that hold the document of each line, and those that say where collections begin. */
export type Original = Template & {
  readonly end: TemplateEnd;
  readonly lines: ReadonlyMap<string, ReadonlySet<number>>;
  readonly catalogPages: ReadonlySet<number>;
};

/** How a damaged directory fared: how each job ended, and every promise that was broken. */
export type Outcome = {
  readonly what: string;
  readonly jobs: Readonly<Record<string, Ended>>;
  readonly faults: readonly string[];
};

/** Kinds that change values but leave valid BSON: only people can tell such documents from others. */
const unnoticeable: ReadonlySet<string> = new Set(['values', 'documents', 'catalog', 'numbers', 'schema', 'indexes']);

const kindsFor = (end: TemplateEnd): Record<string, DamageKind> => ({
  ...pageKinds,
  ...fileKinds,
  ...(end === 'killed' ? logKinds : rowKinds),
});

/** Reads a template as an export has it, and finds the pages of each line. */
export async function readOriginal(template: Template, end: TemplateEnd, dataDir: string, runner: JobRunner): Promise<Original> {
  copyTemplate(template, dataDir);
  await runner.start();
  copyTemplate(template, dataDir);
  const file = exportOf(dataDir);
  await runner.run({ rescue: file });
  const { documents, catalogPages } = placedDocuments(template.directory);
  const pages = new Map(documents.map(({ bytes, pages }) => [bytes.toString('hex'), pages]));
  const lines = new Map<string, ReadonlySet<number>>();
  for (const line of linesOf(file)) {
    const { document } = BSON.EJSON.parse(line, { relaxed: false });
    const placed = pages.get(Buffer.from(BSON.serialize(document)).toString('hex'));
    if (placed === undefined) throw new Error(`The pages of a document are not known: ${line.slice(0, 200)}`);
    lines.set(line, placed);
  }
  return { ...template, end, lines, catalogPages };
}

/** Damages a copy of a template, and has everything run on it that an operator may run. */
export async function tryDamage(original: Original, dataDir: string, runner: JobRunner, random: Random): Promise<Outcome> {
  const kinds = kindsFor(original.end);
  const kind = random.pick(Object.keys(kinds));
  copyTemplate(original, dataDir);
  if (!runner.isReady) await runner.start();
  copyTemplate(original, dataDir);
  const damage = (kinds[kind] as DamageKind)(dataDir, random);
  const what = `${original.end}, ${kind}: ${damage.what}`;
  const jobs: Record<string, Ended> = {};
  const faults: string[] = [];
  const damaged = `${dataDir}.damaged`;
  rmSync(damaged, { recursive: true, force: true });
  cpSync(dataDir, damaged, { recursive: true, verbatimSymlinks: true });
  for (const [name, job] of Object.entries(jobsFor(dataDir, original.token))) {
    if (!runner.isReady) {
      // A process starts on a directory that is not damaged.
      copyTemplate(original, dataDir);
      await runner.start();
    }
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(damaged, dataDir, { recursive: true, verbatimSymlinks: true });
    const ended = await runner.run(job);
    jobs[name] = ended;
    if (ended.isPastLimit) faults.push(`${name} was past its limit`);
    if (ended.crash) faults.push(`${name} failed unexpectedly: ${ended.crash.slice(0, 2_000)}`);
    faults.push(...lossesOf(name, ended, damage, kind, jobs, original, dataDir));
    const left = processesWith(join(dataDir, ''));
    if (left.length > 0) faults.push(`${name} left processes: ${left}`);
  }
  rmSync(damaged, { recursive: true, force: true });
  return { what, jobs, faults };
}

const jobsFor = (dataDir: string, token: string): Record<string, Job> => ({
  'export --skip-damaged': { rescue: exportOf(dataDir) },
  'database check': { run: ['database', 'check'] },
  'database check --full': { run: ['database', 'check', '--full'] },
  backup: { run: ['backup', backupOf(dataDir)] },
  export: { run: ['export', exportOf(dataDir), '--force'] },
  serve: { serve: { token } },
});

const exportOf = (dataDir: string) => join(dirname(dataDir), `${basename(dataDir)}.ndjson`);
const backupOf = (dataDir: string) => join(dirname(dataDir), `${basename(dataDir)}.backup`);

/** The promises about data that a job broke. */
function lossesOf(
  name: string,
  { code, said }: Ended,
  { pages }: Damage,
  kind: string,
  jobs: Readonly<Record<string, Ended>>,
  { lines, catalogPages }: Original,
  dataDir: string,
): string[] {
  if (name === 'backup' && code === 0) return [];
  if (name === 'export --skip-damaged' && code === 0) {
    const found = new Set(linesOf(exportOf(dataDir)));
    if (pages === undefined) return [];
    const missing = [...lines].filter(([line, own]) => !found.has(line) && [...own].every((page) => !pages.has(page)));
    // If the catalog is damaged, documents of a collection without indexes may not be recognised. Then it is said that some are lost.
    const isKnown = ![...pages].some((page) => catalogPages.has(page));
    const unsaid = missing
      .map(([line]) => collectionOf(line))
      .filter((lost) => isKnown || expectedIndexes[lost]?.length !== 0 || !said.includes(`"${lost}"`));
    return unsaid.length > 0 ? [`${name} lost documents that can be read: ${countsOf(unsaid)}; it said ${said}`] : [];
  }
  if (name === 'export' && code === 0 && !unnoticeable.has(kind)) {
    const found = new Set(linesOf(exportOf(dataDir)));
    const missing = [...lines.keys()].filter((line) => !found.has(line));
    const isSaid = Object.values(jobs).some((job) => /damaged|leave out|Left out/.test(job.said));
    return missing.length > 0 && !isSaid ? [`${name} lacks ${missing.length} documents, and nothing says so`] : [];
  }
  return [];
}

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n').slice(1, -1);

const collectionOf = (line: string): string => JSON.parse(line).collection;

/** How often each of some names comes, in words. */
function countsOf(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => name);
  return [...counts].map(([name, { length }]) => `${length} of ${name}`).join(', ');
}
