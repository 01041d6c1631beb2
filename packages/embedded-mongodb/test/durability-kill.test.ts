import { describe, expect, it, onTestFinished } from 'vitest';
import { crashAgainAndAgain, type Victim } from './support/crash-load.ts';
import { freshDirectory } from './support/database.ts';
import { NOTHING_WRONG } from './support/findings.ts';
import { SEED } from './support/random.ts';
import { faultsOfStoredData } from './support/stored-check.ts';
import { CARELESS, DATABASE, forkDatabase } from './support/victim.ts';

/** 200 and 100 000 are the goal; a run of the whole suite makes do with less. */
const CUTS = Number(process.env.KILL_CUTS ?? 8);
const ACKNOWLEDGEMENTS = Number(process.env.KILL_ACKS ?? 4000);
const HOUR = 3_600_000;

describe('a database that is killed while it writes (kill -9)', () => {
  it(`has all that it acknowledged, once, over ${CUTS} cuts and ${ACKNOWLEDGEMENTS} writes (seed ${SEED})`, {
    timeout: HOUR,
  }, async () => {
    const dataDir = freshDirectory();
    const victim = killed(dataDir, DATABASE);
    const report = await crashAgainAndAgain(victim, { cuts: CUTS, acknowledgements: ACKNOWLEDGEMENTS, seed: SEED });
    if (process.env.KILL_CUTS !== undefined) console.info('kill -9', report);
    expect(report.findings).toEqual(NOTHING_WRONG);
    expect(report.cuts).toBe(CUTS);
    expect(report.acknowledged).toBeGreaterThanOrEqual(ACKNOWLEDGEMENTS);
    await victim.cut();
    expect(await faultsOfStoredData(dataDir)).toEqual([]);
  });

  it('would be caught if it acknowledged before it commits', async () => {
    const careless = killed(freshDirectory(), CARELESS, ['--late-commit']);
    const { findings } = await crashAgainAndAgain(careless, { cuts: 20, acknowledgements: 4000, seed: SEED });
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
