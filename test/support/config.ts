import { randomBytes } from 'node:crypto';
import { config, readConfig, replaceConfig } from '../../lib/settings/config.ts';

/** Settings as the environment has them, by the names of `lib/settings/settings.ts`. */
export type Settings = Record<string, string>;

/**
 * Has the service, and the processes that the test starts, use these settings until the end of the test file. Call it
 * at the start of the file.
 */
export function useConfig(settings: Settings): void {
  Object.assign(process.env, settings);
  replaceConfig(readConfig({ ...process.env }));
}

/** Does work while the service uses these settings. */
export async function withConfig<T>(settings: Settings, work: () => T): Promise<Awaited<T>> {
  const before = { config, environment: { ...process.env } };
  useConfig(settings);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(settings)) {
      if (before.environment[name] === undefined) delete process.env[name];
      else process.env[name] = before.environment[name];
    }
    replaceConfig(before.config);
  }
}

/** For how many milliseconds the service waits for others. */
type Patience = typeof config.patienceMs;

/** Does work while the service waits less for others. */
export async function withPatience<T>(patienceMs: Partial<Patience>, work: () => T): Promise<Awaited<T>> {
  const before = config;
  replaceConfig({ ...config, patienceMs: { ...config.patienceMs, ...patienceMs } });
  try {
    return await work();
  } finally {
    replaceConfig(before);
  }
}

/** Gives the test file a database of its own, for data that would disturb other tests. It has the indexes. */
export const useOwnDatabase = (): void =>
  useConfig({ MONGODB_DATABASE: `${process.env.MONGODB_DATABASE}_${randomBytes(6).toString('hex')}` });
