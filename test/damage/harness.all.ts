import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createRandom, testSeed } from '../../packages/embedded-mongodb/test/support/random.ts';
import { JobRunner } from '../support/damage/pool.ts';
import { makeTemplate, type TemplateEnd } from '../support/damage/template.ts';
import { type Outcome, readOriginal, tryDamage } from '../support/damage/trial.ts';
import { isEmbedded } from '../support/worker.ts';

/** How many directories are damaged, how many messages each has, and a file for what all commands said. */
const { DAMAGES = '200', DAMAGE_MESSAGES = '2000', DAMAGE_LOG = '' } = process.env;

const directory = mkdtempSync(join(tmpdir(), 'chat-damage-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.runIf(isEmbedded)('a damaged database', () => {
  it.each<TemplateEnd>(['closed', 'killed'])(
    `every command ends in time on a damaged database, says what is damaged and loses nothing that can be read, if the server before was %s (SEED=${testSeed})`,
    async (end) => {
      const [place, dataDir] = [join(directory, end), join(directory, `${end}-data`)];
      mkdirSync(place);
      const template = await makeTemplate(join(place, 'template'), Number(DAMAGE_MESSAGES), end);
      const runner = new JobRunner(dataDir);
      try {
        const original = await readOriginal(template, end, dataDir, runner);
        const outcomes: Outcome[] = [];
        for (let run = 0; run < Number(DAMAGES) / 2; run++) {
          const outcome = await tryDamage(original, dataDir, runner, createRandom(testSeed + run));
          outcomes.push(outcome);
          if (DAMAGE_LOG) appendFileSync(DAMAGE_LOG, `${JSON.stringify({ run, ...outcome })}\n`);
          if (outcome.faults.length > 0) console.log(`run ${run}: ${outcome.what}\n  ${outcome.faults.join('\n  ')}`);
        }
        console.log(summaryOf(end, outcomes));
        expect(outcomes.filter(({ faults }) => faults.length > 0).map(({ what, faults }) => ({ what, faults }))).toEqual([]);
      } finally {
        runner.stop();
      }
    },
    24 * 3_600_000,
  );
});

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
