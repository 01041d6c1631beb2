import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import type { OpenApi } from '../../lib/reference/openapi.ts';

/**
 * After a run of all fast tests, lists the operations and statuses of the contract that no test
 * covers, and fails if there are any.
 */
export default class ContractCoverageReporter implements Reporter {
  #vitest: Vitest | undefined;
  #directory = '';

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    this.#directory = mkdtempSync(join(tmpdir(), 'chat-coverage-'));
    process.env.CONTRACT_COVERAGE_DIRECTORY = this.#directory; // The workers inherit it.
    // Also after Ctrl-C, and if no test file was found.
    process.once('exit', () => rmSync(this.#directory, { recursive: true, force: true }));
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const uncovered = (await this.#haveAllPassed(modules)) ? this.#uncovered() : [];
    if (uncovered.length === 0) return;
    process.stderr.write(
      `\nNo test covers these responses of docs/openapi.json:\n${uncovered.map((line) => `  ${line}\n`).join('')}\n`,
    );
    process.exitCode = 1;
  }

  async #haveAllPassed(modules: readonly TestModule[]): Promise<boolean> {
    if (!this.#vitest || this.#vitest.config.testNamePattern || this.#vitest.projects.some(({ name }) => name !== 'fast'))
      return false;
    const all = await this.#vitest.globTestSpecifications();
    return modules.length === all.length && modules.every((module) => module.state() !== 'failed');
  }

  #uncovered(): string[] {
    const files = readdirSync(this.#directory).map((file) => readFileSync(join(this.#directory, file), 'utf8'));
    const covered = new Set(files.join('').split('\n'));
    const { paths }: OpenApi = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    const declared = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
      ),
    );
    return declared.filter((line) => !covered.has(line));
  }
}
