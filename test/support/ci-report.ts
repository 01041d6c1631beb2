import type { Reporter, TestModule } from 'vitest/node';

/** The number of listed files. */
const most = 25;

/** Lists the slowest test files, with their seconds. */
export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { duration, setupDuration, collectDuration } = module.diagnostic();
      return { path: module.relativeModuleId, seconds: (duration + setupDuration + collectDuration) / 1_000 };
    });
    const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, most);
    const lines = slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}\n`);
    process.stdout.write(`\nSlowest files:\n${lines.join('')}`);
  }
}
