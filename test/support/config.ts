import { randomBytes } from 'node:crypto';
import { config, readConfig, replaceConfig } from '../../lib/settings/config.ts';
import { type Call, inProcess } from './transports.ts';

/** Settings as environment variables, by the names in `lib/settings/settings.ts`. */
export type Settings = Record<string, string>;

/**
 * Applies these settings to the service, and to processes that the test starts, until the end of
 * the test file. Call it at the start of the file.
 */
export function useConfig(settings: Settings): void {
  Object.assign(process.env, settings);
  replaceConfig(readConfig({ ...process.env }));
}

/** Runs work while the service uses these settings. */
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

/** The settings of the calls in progress. */
let inUse: { settings: Settings; calls: number; restore: () => void } | undefined;

/**
 * Calls the service in this process with these settings. Only one `callWith()` can run at a time.
 */
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

/** The timeouts for other services and for clients, in milliseconds. */
type Patience = typeof config.patienceMs;

/** Reduces the service's timeouts until the end of the test file. Call it after `useConfig()`. */
export const usePatience = (patienceMs: Partial<Patience>): void =>
  replaceConfig({ ...config, patienceMs: { ...config.patienceMs, ...patienceMs } });

/** Runs work while the service has shorter timeouts. */
export async function withPatience<T>(patienceMs: Partial<Patience>, work: () => T): Promise<Awaited<T>> {
  const before = config;
  usePatience(patienceMs);
  try {
    return await work();
  } finally {
    replaceConfig(before);
  }
}

/**
 * Gives the test file a separate database with indexes, for data that would disturb other tests.
 */
export const useOwnDatabase = (): void =>
  useConfig({ MONGODB_DATABASE: `${process.env.MONGODB_DATABASE}_${randomBytes(6).toString('hex')}` });
