import { readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BSON } from 'mongodb';
import { placedDocuments } from '../../../packages/embedded-mongodb/test/support/document-pages.ts';
import type { Random } from '../../../packages/embedded-mongodb/test/support/random.ts';
import { type Damage, type DamageKind, fileKinds, pageKinds } from './file-damage.ts';
import { logKinds } from './log-damage.ts';
import { type JobEnd, type JobRunner, processesWith } from './pool.ts';
import { rowKinds } from './row-damage.ts';
import { copyDirectory, copyTemplate, type Template, type TemplateEnd } from './template.ts';
import type { Job } from './worker.ts';

/**
 * A template and its export: the pages that hold the document of each line, and those that say
 * where collections begin.
 */
export type Original = Template & {
  readonly end: TemplateEnd;
  readonly lines: ReadonlyMap<string, ReadonlySet<number>>;
  readonly catalogPages: ReadonlySet<number>;
  /** The pages of the second copy of the catalog. */
  readonly copyPages: ReadonlySet<number>;
};

/** How a damaged directory fared: how each job ended, and every promise that was broken. */
export type Outcome = {
  readonly what: string;
  readonly jobs: Readonly<Record<string, JobEnd>>;
  readonly faults: readonly string[];
};

/** Damage that changes rows and leaves them valid: no check can detect it. */
const unnoticeable: ReadonlySet<string> = new Set([...Object.keys(rowKinds), 'logPages']);

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
  const { code, said } = await runner.run({ run: ['database', 'check', '--full'] });
  if (code !== 0 || !said.includes('healthy')) throw new Error(`A check does not call the template healthy: ${said}`);
  const { documents, catalogPages, copyPages } = placedDocuments(template.directory);
  const pages = new Map(documents.map(({ bytes, pages }) => [bytes.toString('hex'), pages]));
  const lines = new Map<string, ReadonlySet<number>>();
  for (const line of linesOf(file)) {
    const { document } = BSON.EJSON.parse(line, { relaxed: false });
    const placed = pages.get(Buffer.from(BSON.serialize(document)).toString('hex'));
    if (placed === undefined) throw new Error(`The pages of a document are not known: ${line.slice(0, 200)}`);
    lines.set(line, placed);
  }
  return { ...template, end, lines, catalogPages, copyPages };
}

/**
 * Damages a copy of a template, and runs on it what an operator may run: all of it, or the jobs
 * with some names.
 */
export async function tryDamage(
  original: Original,
  dataDir: string,
  runner: JobRunner,
  random: Random,
  names: readonly string[] = Object.keys(jobsFor('', '')),
): Promise<Outcome> {
  const kinds = kindsFor(original.end);
  const kind = random.pick(Object.keys(kinds));
  copyTemplate(original, dataDir);
  if (!runner.isReady) await runner.start();
  copyTemplate(original, dataDir);
  const damage = (kinds[kind] as DamageKind)(dataDir, random);
  const what = `${original.end}, ${kind}: ${damage.what}`;
  const jobs: Record<string, JobEnd> = {};
  const faults: string[] = [];
  const damaged = `${dataDir}.damaged`;
  copyDirectory(dataDir, damaged);
  for (const [name, job] of Object.entries(jobsFor(dataDir, original.token)).filter(([name]) => names.includes(name))) {
    if (!runner.isReady) {
      // A process starts on a directory that is not damaged.
      copyTemplate(original, dataDir);
      await runner.start();
    }
    copyDirectory(damaged, dataDir);
    rmSync(backupOf(dataDir), { recursive: true, force: true });
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
  { code, said }: JobEnd,
  { pages }: Damage,
  kind: string,
  jobs: Readonly<Record<string, JobEnd>>,
  original: Original,
  dataDir: string,
): string[] {
  if (code !== 0 || !name.startsWith('export')) return [];
  const found = new Set(linesOf(exportOf(dataDir)));
  const missing = [...original.lines].filter(([line]) => !found.has(line));
  const faults: string[] = [];
  const isSaid = /damaged|leave out|Left out|Check by hand/.test(
    Object.values(jobs)
      .map((job) => job.said)
      .join(),
  );
  if (missing.length > 0 && !isSaid && !unnoticeable.has(kind))
    faults.push(`${name} lacks ${countsOf(missing.map(([line]) => collectionOf(line)))}, and nothing says so`);
  if (name === 'export' || pages === undefined) return faults;
  // Without both copies of the catalog, nothing says whose the documents of a collection without
  // indexes are.
  if ([original.copyPages, original.catalogPages].every((own) => haveCommon(own, pages))) return faults;
  const intact = missing.filter(([, own]) => !haveCommon(own, pages)).map(([line]) => collectionOf(line));
  if (intact.length > 0) faults.push(`${name} lost documents that can be read: ${countsOf(intact)}; it said ${said}`);
  return faults;
}

const haveCommon = (some: ReadonlySet<number>, others: ReadonlySet<number>): boolean => [...some].some((one) => others.has(one));

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n').slice(1, -1);

const collectionOf = (line: string): string => JSON.parse(line).collection;

/** How often each of some names comes, in words. */
function countsOf(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => name);
  return [...counts].map(([name, { length }]) => `${length} of ${name}`).join(', ');
}
