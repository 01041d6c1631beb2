import type { Reporter, TestModule } from 'vitest/node';

/** How many files are listed. */
const most = 25;

/** The tests that passed at the second try only, with what the first said: each is a fault to find, in the test or in what it tests. */
const retried = (modules: readonly TestModule[]) =>
  modules.flatMap((module) =>
    [...module.children.allTests()]
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => {
        const [first] = test.result().errors ?? [];
        const reason = (first?.stack ?? first?.message ?? '').slice(0, mostOfReason).replaceAll('\n', '\n    ');
        return `  ${module.relativeModuleId}: ${test.fullName}\n    ${reason}\n`;
      }),
  );

const mostOfReason = 2_000;

/** Lists the test files that took longest, with their seconds, and the tests that failed before they passed. */
export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { duration, setupDuration, collectDuration } = module.diagnostic();
      return { path: module.relativeModuleId, seconds: (duration + setupDuration + collectDuration) / 1_000 };
    });
    const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, most);
    const lines = slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}\n`);
    process.stdout.write(`\nWhat took longest:\n${lines.join('')}`);
    const tests = retried(modules);
    if (tests.length > 0) process.stdout.write(`\nWhat failed before it passed:\n${tests.join('')}`);
  }
}
