import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDirectory } from './support/database.ts';
import { examine, prepare } from './support/examine.ts';
import { nothingWrong } from './support/findings.ts';
import { testSeed } from './support/random.ts';
import { writeSome, writeUntilRefused } from './support/refusals.ts';
import { failSync, whyNoStrace } from './support/strace.ts';
import { forkDatabase } from './support/victim.ts';
import { createWriter } from './support/writer.ts';

const hindrance = whyNoStrace();
const fileStreamFailed = 39;

const syncs = [
  { what: 'the first sync of the log', number: 1 },
  { what: 'the seventh sync of the log', number: 7 },
  { what: 'a sync of the database file, when the log is written back', number: 1, file: 'database.sqlite' },
];
/** The writers reach it after half a minute. */
const lateSync = { what: 'the third sync of the database file', number: 3, file: 'database.sqlite' };

/*
 * After a failed sync, the kernel may have dropped the unwritten pages, and the next sync falsely
 * succeeds.
 */
describe(`a disk that fails to sync once${hindrance ? ` (skipped: ${hindrance})` : ''}`, () => {
  it.runIf(hindrance === undefined).each(process.env.KILLS ? [...syncs, lateSync] : syncs)(
    'a failed sync stops all acknowledgements, and loses nothing acknowledged: $what',
    async ({ number, file }) => {
      const dataDir = freshDirectory();
      const database = await start(dataDir);
      const writers = Array.from({ length: 8 }, (_, id) => createWriter(id, testSeed));
      await prepare(database.uri);
      await writeSome(writers, database.uri, 5);
      const fault = await failSync(database.pid, number, file && join(dataDir, file));
      onTestFinished(() => fault.detach());

      const refusals = await writeUntilRefused(writers, database.uri);
      expect([...refusals.codes]).toEqual([fileStreamFailed]);
      expect(refusals.acknowledgedAfterwards).toBe(0);
      expect(await examine(writers, database.uri)).toEqual(nothingWrong);
      await fault.detach();
      expect((await writeUntilRefused(writers, database.uri)).acknowledged).toBe(0);

      await database.kill();
      const { uri } = await start(dataDir);
      expect(await examine(writers, uri)).toEqual(nothingWrong);
      await writeSome(writers, uri, 5);
      expect(await examine(writers, uri)).toEqual(nothingWrong);
    },
  );
});

async function start(dataDir: string) {
  const database = await forkDatabase(dataDir);
  onTestFinished(() => database.kill());
  return database;
}
