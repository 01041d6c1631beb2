import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EJSON } from 'bson';
import { withDirectory } from './database.ts';
import { withDataset } from './dataset.ts';
import type { Bench, Figure } from './figure.ts';
import { median } from './measure.ts';
import { bundleFile, contentsOfBundles, packageAll, runBundle } from './package.ts';

const mostKilobytes = 450;

/** What only some functions may bundle, and which ones. */
const confined: Readonly<Record<string, { isIn: (input: string) => boolean; functions: readonly string[] }>> = {
  'password hashing': { isIn: (input) => input === 'bcryptjs', functions: ['users', 'user', 'sessions', 'tokens'] },
  'the list of common passwords': { isIn: (input) => /zxcvbn|common-passwords/.test(input), functions: ['users', 'user'] },
  'the OpenAPI document': { isIn: (input) => input === 'docs/openapi.json', functions: ['openapi', 'docs'] },
  'the code of the pages': { isIn: (input) => input.startsWith('lib/reference/'), functions: ['docs', 'docs-json'] },
};

/** The functions that need no database, and so no driver. */
const withoutDatabase = ['not-found', 'openapi', 'docs', 'docs-json'];

/** How long a new process takes until its first response, and how much it has to load. */
export const cold = (bench: Bench): Promise<Figure[]> =>
  withDirectory(async (directory) => {
    bench.progress('cold: packaging');
    const packaged = await packageAll(directory);
    const sizes = packaged.map(({ name, zipped }) => ({
      name: `${name}: zipped`,
      unit: 'kB',
      value: zipped / 1000,
      goal: { of: 'value', atMost: mostKilobytes } as const,
    }));
    const rooms = packaged.find(({ name }) => name === 'rooms')?.bundle ?? '';
    return [await firstAnswer(directory, rooms, bench), ...sizes, ...(await superfluous())];
  });

/** The time from loading the bundle to its first response, without the start of Node.js, compared with the bare driver. */
const firstAnswer = (directory: string, bundle: string, { starts, progress }: Bench): Promise<Figure> =>
  withDataset(async ({ ask, environment }, { rooms: { operation, plan } }) => {
    const [bare, planFile] = [join(directory, 'bare.mjs'), join(directory, 'plan.json')];
    await bundleFile('tools/bench/worker/bare.ts', bare);
    await writeFile(planFile, EJSON.stringify(plan, { relaxed: false }));
    const { event } = await ask('invocationOf', operation);
    const settings = { ...environment, MONGODB_POOL_SIZE: '5', PLAN: planFile };
    const times: { service: number[]; driver: number[] } = { service: [], driver: [] };
    // The first start of each does not count: it finds nothing in the disk caches.
    for (let i = -1; i < starts; i++) {
      progress(`cold: start ${i + 1} of ${starts}`);
      const service = (await runBundle(bundle, event, 1, settings)).first;
      const driver = (await runBundle(bare, event, 1, settings)).first;
      if (i < 0) continue;
      times.service.push(service);
      times.driver.push(driver);
    }
    return {
      name: 'the first answer of a new process, a list of rooms',
      unit: 'ms',
      value: median(times.service),
      reference: median(times.driver),
      goal: { of: 'ratio', atMost: 1.2 },
    };
  });

/** How many functions bundle what they do not use. */
async function superfluous(): Promise<Figure[]> {
  const contents = await contentsOfBundles();
  const figure = (what: string, isIn: (input: string) => boolean, allowed: (name: string) => boolean): Figure => {
    const offenders = contents.filter(({ name, inputs }) => !allowed(name) && inputs.some(isIn)).map(({ name }) => name);
    const reason = offenders.length > 0 ? { reason: offenders.join(', ') } : {};
    return {
      name: `functions that bundle ${what} without need`,
      unit: 'functions',
      value: offenders.length,
      goal: none,
      ...reason,
    };
  };
  return [
    ...Object.entries(confined).map(([what, { isIn, functions }]) => figure(what, isIn, (name) => functions.includes(name))),
    figure(
      'the driver',
      (input) => input === 'mongodb',
      (name) => !withoutDatabase.includes(name),
    ),
  ];
}

const none = { of: 'value', atMost: 0 } as const;
