import { randomBytes } from 'node:crypto';
import { config, readConfig, replaceConfig } from '../../lib/settings/config.ts';
import { type Call, inProcess } from './transports.ts';

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
  const restore = replaceSettings(settings);
  try {
    return await work();
  } finally {
    restore();
  }
}

/** Replaces settings, and returns a function that restores them. */
function replaceSettings(settings: Settings): () => void {
  const before = config;
  const environment = { ...process.env };
  useConfig(settings);
  return () => {
    for (const name of Object.keys(settings)) {
      if (environment[name] === undefined) delete process.env[name];
      else process.env[name] = environment[name];
    }
    replaceConfig(before);
  };
}

/** The settings of the calls that are under way. */
let inUse: { settings: Settings; calls: number; restore: () => void } | undefined;

/** Calls the service in this process while it uses these settings. Only one `callWith()` works at a time. */
export function callWith(settings: Settings): Call {
  return async (...call) => {
    inUse ??= { settings, calls: 0, restore: replaceSettings(settings) };
    if (inUse.settings !== settings) throw new Error('A call with other settings is under way: await it first.');
    inUse.calls++;
    try {
      return await inProcess(...call);
    } finally {
      endCall();
    }
  };
}

function endCall(): void {
  if (!inUse || --inUse.calls > 0) return;
  inUse.restore();
  inUse = undefined;
}

/** For how many milliseconds the service waits for others. */
type Patience = typeof config.patienceMs;

/** Has the service wait less for others until the end of the test file. Call it after `useConfig()`. */
export const usePatience = (patienceMs: Partial<Patience>): void =>
  replaceConfig({ ...config, patienceMs: { ...config.patienceMs, ...patienceMs } });

/** Does work while the service waits less for others. */
export async function withPatience<T>(patienceMs: Partial<Patience>, work: () => T): Promise<Awaited<T>> {
  const before = config;
  usePatience(patienceMs);
  try {
    return await work();
  } finally {
    replaceConfig(before);
  }
}

/** Gives the test file a database of its own, for data that would disturb other tests. It has the indexes. */
export const useOwnDatabase = (): void =>
  useConfig({ MONGODB_DATABASE: `${process.env.MONGODB_DATABASE}_${randomBytes(6).toString('hex')}` });
