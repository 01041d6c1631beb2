import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { frameBytes, frameHeadBytes, headerBytes } from '../../../packages/embedded-mongodb/src/storage/file/log-reader.ts';
import { frameStart, renewSums } from '../../../packages/embedded-mongodb/test/support/log-sums.ts';
import type { Random } from '../../../packages/embedded-mongodb/test/support/random.ts';
import type { DamageKind } from './file-damage.ts';

/** A kind that changes the log of a server that was killed. */
const onLog =
  (name: string, change: (log: Buffer, random: Random, frames: number) => void): DamageKind =>
  (directory, random) => {
    const path = join(directory, 'database.sqlite-wal');
    const log = readFileSync(path);
    change(log, random, Math.floor((log.length - headerBytes) / frameBytes));
    writeFileSync(path, log);
    return { what: `the log: ${name}` };
  };

export const logKinds: Readonly<Record<string, DamageKind>> = {
  logBits: onLog('flipped bits', (log, random) => {
    for (let times = 1 + random.below(5); times > 0; times--) {
      const at = random.below(log.length);
      log[at] = (log[at] as number) ^ (1 << random.below(8));
    }
  }),
  logNoise: onLog('noise', (log, random, frames) => {
    const start = frameStart(random.below(frames));
    for (let at = start; at < start + frameBytes; at++) log[at] = random.below(256);
  }),
  logHead: onLog('its head', (log, random) => {
    log[random.below(headerBytes)] = random.below(256);
  }),
  // Pages with any content that SQLite takes as they are, because their checksums are right.
  logPages: onLog('other pages with right checksums', (log, random, frames) => {
    for (let times = 1 + random.below(4); times > 0; times--) {
      const start = frameStart(random.below(frames));
      if (random.below(4) === 0) log.writeUInt32BE(random.pick([0, 1, 2, random.below(5_000), 2 ** 31]), start);
      else for (let i = 0; i < 1 + random.below(40); i++) log[start + frameHeadBytes + random.below(4096)] = random.below(256);
    }
    renewSums(log, frames);
  }),
  logCutOff: (directory, random) => {
    const path = join(directory, 'database.sqlite-wal');
    const left = random.below(readFileSync(path).length);
    truncateSync(path, left);
    return { what: `the log cut off at ${left}` };
  },
  logHuge: (directory) => {
    truncateSync(join(directory, 'database.sqlite-wal'), 5e8);
    return { what: 'a log of 500 MB', pages: new Set() };
  },
  logMissing: (directory) => {
    rmSync(join(directory, 'database.sqlite-wal'));
    return { what: 'no log' };
  },
};
