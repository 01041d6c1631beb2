import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import exceptions from './spec-exceptions.json' with { type: 'json' };
import { freshDatabase } from './support/database.ts';
import { withFailPoints } from './support/fail-points.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const specTests = process.env.MONGODB_SPEC_TESTS ?? `${root}../shared/mongodb-spec-tests`;
const folders = ['crud', 'retryable-writes', 'sessions'];

describe.runIf(existsSync(specTests))("the drivers' specification tests", () => {
  it("the drivers' specification tests pass, or fail by a listed refusal", { timeout: 600_000 }, async () => {
    const { uri } = await freshDatabase({ intercept: withFailPoints });
    const results = await runAll(uri);
    expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(200);
    expect(results.filter(({ category }) => category === 'no fail points')).toEqual([]);
    const failed = results
      .filter(({ status }) => status === 'failed')
      .map(({ folder, file, description, difference = '' }) => {
        const refusal = exceptions.find(({ answer }) => difference.includes(answer));
        return `${refusal?.reason ?? difference}: ${folder}/${file}: ${description}`;
      });
    expect(failed.sort()).toEqual(exceptions.flatMap(({ reason, tests }) => tests.map((test) => `${reason}: ${test}`)).sort());
    expect(exceptions.filter(({ reason }) => !reason.startsWith('refused: '))).toEqual([]);
  });
});

type SpecResult = {
  readonly folder: string;
  readonly file: string;
  readonly description: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly category?: string;
  /** The expected and the actual result. */
  readonly difference?: string;
};

function runAll(uri: string): Promise<SpecResult[]> {
  const args = [`${specTests}/run.mjs`, '--uri', uri, '--driver', `${root}node_modules`, '--json'];
  return new Promise((resolve, reject) => {
    const all = [...args, ...folders.map((folder) => `${specTests}/${folder}`)];
    execFile(process.execPath, all, { maxBuffer: 64 * 1024 * 1024 }, (error, output) => {
      // Exit code 1 means that tests failed, and 2 that it could not run.
      if (error !== null && error.code !== 1) reject(error);
      else
        resolve(
          output
            .split('\n')
            .filter((line) => line.startsWith('{'))
            .map((line) => JSON.parse(line)),
        );
    });
  });
}
