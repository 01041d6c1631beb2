import { describe, expect, it, onTestFinished } from 'vitest';
import { crashAgainAndAgain, type Victim } from './support/crash-load.ts';
import { freshDirectory } from './support/database.ts';
import { nothingWrong } from './support/findings.ts';
import { testSeed } from './support/random.ts';
import { faultsOfStoredData } from './support/stored-check.ts';
import { carelessMain, databaseFileName, forkDatabase } from './support/victim.ts';

/** Number of kills; the nightly run has more. The database acknowledges 500 writes per kill. */
const cutCount = Number(process.env.KILLS ?? 5);
const acknowledgementCount = cutCount * 500;
const hour = 3_600_000;

describe('a database that is killed while it writes (kill -9)', () => {
  it(`a killed database has everything that it acknowledged once, over ${cutCount} cuts and ${acknowledgementCount} writes (seed ${testSeed})`, {
    timeout: hour,
  }, async () => {
    const dataDir = freshDirectory();
    const victim = killed(dataDir, databaseFileName);
    const report = await crashAgainAndAgain(victim, { cuts: cutCount, acknowledgements: acknowledgementCount, seed: testSeed });
    if (process.env.KILLS !== undefined) console.info('kill -9', report);
    expect(report.findings).toEqual(nothingWrong);
    expect(report.cuts).toBe(cutCount);
    expect(report.acknowledged).toBeGreaterThanOrEqual(acknowledgementCount);
    await victim.cut();
    expect(await faultsOfStoredData(dataDir)).toEqual([]);
  });

  it('a database that acknowledged before it commits would be caught', async () => {
    const careless = killed(freshDirectory(), carelessMain, ['--late-commit']);
    const { findings } = await crashAgainAndAgain(careless, { cuts: 20, acknowledgements: 4000, seed: testSeed });
    expect(findings.lost).not.toEqual([]);
  });
});

function killed(dataDir: string, main: string, args: readonly string[] = []): Victim {
  let cut = async () => {};
  onTestFinished(() => cut());
  return {
    async start() {
      const database = await forkDatabase(dataDir, main, args);
      cut = () => database.kill();
      return database;
    },
    cut: () => cut(),
  };
}
