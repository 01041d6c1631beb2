import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom, testSeed } from '../../../packages/embedded-mongodb/test/support/random.ts';
import { isEmbedded } from '../worker.ts';
import { JobRunner } from './pool.ts';
import { makeTemplates, type Template, type TemplateEnd } from './template.ts';
import { type Outcome, readOriginal, tryDamage } from './trial.ts';

type HarnessOptions = {
  /** How many directories are damaged. */
  readonly damages: number;
  readonly messages: number;
  /** The commands that run on each; without them, all. */
  readonly jobs?: readonly string[];
  /** A file for what all commands said. */
  readonly log?: string;
};

/** Describes what commands do on randomly damaged databases. */
export function describeDamage({ damages, messages, jobs, log }: HarnessOptions): void {
  describe.runIf(isEmbedded)('a damaged database', () => {
    const directory = mkdtempSync(join(tmpdir(), 'chat-damage-'));
    let templates: Record<TemplateEnd, Template>;
    beforeAll(async () => {
      mkdirSync(join(directory, 'templates'));
      templates = await makeTemplates(join(directory, 'templates'), messages);
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    it.each<TemplateEnd>(['closed', 'killed'])(
      `every command ends in time on a damaged database, says what is damaged and loses nothing that can be read, if the server before was %s (SEED=${testSeed})`,
      async (end) => {
        const dataDir = join(directory, `${end}-data`);
        const runner = new JobRunner(dataDir);
        const outcomes: Outcome[] = [];
        try {
          const original = await readOriginal(templates[end], end, dataDir, runner);
          for (let run = 0; run < damages / 2; run++) {
            const outcome = await tryDamage(original, dataDir, runner, createRandom(testSeed + run), jobs);
            outcomes.push(outcome);
            if (log) appendFileSync(log, `${JSON.stringify({ run, ...outcome })}\n`);
          }
        } finally {
          runner.stop();
        }
        console.log(summaryOf(end, outcomes));
        const faults = outcomes.flatMap(({ what, faults }, run) => (faults.length > 0 ? [{ run, what, faults }] : []));
        expect(faults).toEqual([]);
      },
      24 * 3_600_000,
    );
  });
}

/** For each job how often it succeeded or refused, and the longest times. */
function summaryOf(end: TemplateEnd, outcomes: readonly Outcome[]): string {
  const names = [...new Set(outcomes.flatMap(({ jobs }) => Object.keys(jobs)))];
  const lines = names.map((name) => {
    const ended = outcomes.flatMap(({ jobs }) => jobs[name] ?? []);
    const most = (of: (one: (typeof ended)[number]) => number) => Math.round(Math.max(...ended.map(of)));
    const count = (is: (one: (typeof ended)[number]) => boolean) => ended.filter(is).length;
    return `  ${name}: ${count(({ code }) => code === 0)} succeeded, ${count(({ code }) => code > 0)} refused, ${count(({ code }) => code < 0)} crashed, ${count(({ isPastLimit }) => isPastLimit)} past the limit; at most ${most(({ wallMs }) => wallMs)} ms, ${most(({ cpuMs }) => cpuMs)} ms of the processor`;
  });
  return [`${outcomes.length} damages (${end}), ${outcomes.length * names.length} commands:`, ...lines].join('\n');
}
