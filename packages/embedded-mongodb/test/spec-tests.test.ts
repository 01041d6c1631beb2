import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import exceptions from './spec-exceptions.json' with { type: 'json' };
import { freshDatabase } from './support/database.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SPEC_TESTS = `${ROOT}../shared/mongodb-spec-tests`;
const FOLDERS = ['crud', 'retryable-writes', 'sessions'];

describe.runIf(existsSync(SPEC_TESTS))("the drivers' specification tests", () => {
  it('fail just where the list of exceptions says so', { timeout: 600_000 }, async () => {
    const { uri } = await freshDatabase({ testMode: true });
    const results = await runAll(uri);
    expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(300);
    expect(results.filter(({ category }) => category === 'no fail points')).toEqual([]);
    const failed = results
      .filter(({ status }) => status === 'failed')
      .map(({ folder, file, description }) => `${folder}/${file}: ${description}`);
    const listed = exceptions.flatMap(({ file, descriptions }) => descriptions.map((description) => `${file}: ${description}`));
    expect(failed.sort()).toEqual(listed.sort());
  });
});

interface SpecResult {
  readonly folder: string;
  readonly file: string;
  readonly description: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly category?: string;
}

function runAll(uri: string): Promise<SpecResult[]> {
  const folders = FOLDERS.map((folder) => `${SPEC_TESTS}/${folder}`);
  const args = [`${SPEC_TESTS}/run.mjs`, '--uri', uri, '--driver', `${ROOT}node_modules`, '--json', ...folders];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, output) => {
      // It ends with 1 where tests failed, and with 2 where it could not run.
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
