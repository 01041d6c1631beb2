import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crashAgainAndAgain, type Victim } from './support/crash-load.ts';
import { nothingWrong } from './support/findings.ts';
import { type LoopImage, makeImage, mountImage, whyNoImages } from './support/loop-image.ts';
import { createRandom, testSeed } from './support/random.ts';
import { faultsOfStoredData } from './support/stored-check.ts';
import { carelessMain, type DatabaseProcess, databaseFileName, forkDatabase } from './support/victim.ts';

/** Number of power cuts; the nightly run has more. The database acknowledges 500 writes per cut. */
const cutCount = Number(process.env.KILLS ?? 4);
const acknowledgementCount = cutCount * 500;
const hour = 3_600_000;
/** Space for all documents of the run and a full log. */
const megabytes = 64 + Math.ceil(acknowledgementCount / 400);

const hindrance = whyNoImages();

describe(`a database whose power is cut while it writes${hindrance ? ` (skipped: ${hindrance})` : ''}`, () => {
  it.runIf(hindrance === undefined)(
    `a database whose power is cut has everything that it acknowledged once, over ${cutCount} cuts and ${acknowledgementCount} writes (seed ${testSeed})`,
    { timeout: hour },
    async () => {
      const victim = onImage(databaseFileName);
      const report = await crashAgainAndAgain(victim, { cuts: cutCount, acknowledgements: acknowledgementCount, seed: testSeed });
      if (process.env.KILLS !== undefined) console.info('power cuts', report);
      expect(report.findings).toEqual(nothingWrong);
      expect(report.cuts).toBe(cutCount);
      expect(report.acknowledged).toBeGreaterThanOrEqual(acknowledgementCount);
      await victim.kill();
      expect(await faultsOfStoredData(victim.dataDir())).toEqual([]);
    },
  );

  it.runIf(hindrance === undefined)('a database that acknowledged before it syncs would be caught', async () => {
    const careless = onImage(carelessMain, ['--no-sync']);
    const { findings } = await crashAgainAndAgain(careless, { cuts: 10, acknowledgements: 4000, seed: testSeed });
    expect(findings.lost).not.toEqual([]);
  });
});

/**
 * A database on its own file system. After a cut, it continues with the data that had reached the
 * device.
 */
function onImage(main: string, args: readonly string[] = []): Victim & { kill(): Promise<void>; dataDir(): string } {
  const random = createRandom(testSeed);
  const directory = mkdtempSync(join(tmpdir(), 'power-'));
  let file = join(directory, 'image-0');
  let image: LoopImage | undefined;
  let database: DatabaseProcess | undefined;
  let images = 1;
  const kill = async () => {
    await database?.kill();
    database = undefined;
  };
  const unmount = () => {
    image?.unmount();
    image = undefined;
  };
  const dataDir = () => join(image?.mountpoint ?? '', 'data');
  onTestFinished(async () => {
    await kill();
    unmount();
    rmSync(directory, { recursive: true });
  });
  makeImage(file, megabytes);
  return {
    dataDir,
    kill,
    async start() {
      image = mountImage(file);
      database = await forkDatabase(dataDir(), main, args);
      return database;
    },
    async cut() {
      const mounted = image as LoopImage;
      // The kernel may write back pages at any time, so let some cuts happen during that.
      const written = random.below(3) === 0 ? promisify(execFile)('sync', ['-f', mounted.mountpoint]) : undefined;
      await database?.freeze();
      const survivor = join(directory, `image-${images++}`);
      mounted.copyAsCut(survivor);
      await kill();
      await written;
      unmount();
      rmSync(file);
      file = survivor;
    },
  };
}
