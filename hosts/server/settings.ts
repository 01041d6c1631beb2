import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** How the server runs. */
export type Settings = ReturnType<typeof readSettings>;

/** The command line or the environment has an unusable setting. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** How the server is called. */
export const usage = `Usage: npm run serve -- [OPTION...]
  --host HOST       where to listen (HTTP_HOST, default localhost; 0.0.0.0 and :: are all addresses)
  --port PORT       (HTTP_PORT, default 3000; 0 is any free one)
  --workers COUNT   processes that share the port (WORKERS, default 1; 'auto' is one per core)
  --trust-proxy N   how many reverse proxies stand in front of it, whose X-Forwarded-For is trusted (TRUST_PROXY, default 0)
  --max-connections N  connections of a process: half may be WebSockets, one address may have a quarter (MAX_CONNECTIONS, default 10000)
  --metrics-port N  the port of /metrics, for Prometheus (METRICS_PORT, default none)
  --backup-dir DIR  where to back up the embedded database by itself (BACKUP_DIR, default nowhere)
  --backup-every T  how often, such as 30m, 12h or 7d (BACKUP_EVERY, default 24h)
  --backup-keep N   how many of these backups are kept (BACKUP_KEEP, default 7)
  --help
`;

/** Reads the settings from the command line and, where it says nothing, from the environment. */
export function readSettings(words: string[], environment: Record<string, string | undefined>) {
  const given = parse(words);
  const setting = (option: keyof typeof given, variable: string, fallback: string) =>
    String(given[option] ?? (environment[variable]?.trim() || fallback));
  const integer = (option: keyof typeof given, variable: string, fallback: string, most: number) => {
    const text = setting(option, variable, fallback);
    if (/^\d{1,5}$/.test(text) && Number(text) <= most) return Number(text);
    throw new SettingsError(`Set --${option} or ${variable} to a whole number from 0 to ${most}, not '${text}'.`);
  };

  const duration = (option: keyof typeof given, variable: string, fallback: string) => {
    const text = setting(option, variable, fallback);
    const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
    if (Number(count) > 0) return Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd'];
    throw new SettingsError(`Set --${option} or ${variable} to a time such as 30m, 12h or 7d, not '${text}'.`);
  };
  const backup = {
    directory: setting('backup-dir', 'BACKUP_DIR', ''),
    every: duration('backup-every', 'BACKUP_EVERY', '24h'),
    keep: Math.max(1, integer('backup-keep', 'BACKUP_KEEP', '7', 10_000)),
  };

  const workers =
    setting('workers', 'WORKERS', '1') === 'auto' ? availableParallelism() : integer('workers', 'WORKERS', '1', 256);
  return {
    help: given.help ?? false,
    host: setting('host', 'HTTP_HOST', 'localhost'),
    port: integer('port', 'HTTP_PORT', '3000', 65_535),
    workers: Math.max(1, workers),
    maxConnections: Math.max(1, integer('max-connections', 'MAX_CONNECTIONS', '10000', 65_535)),
    trustProxy: integer('trust-proxy', 'TRUST_PROXY', '0', 16),
    /** Undefined where none are to be made. */
    backup: backup.directory === '' ? undefined : backup,
    metricsPort:
      setting('metrics-port', 'METRICS_PORT', '') === '' ? undefined : integer('metrics-port', 'METRICS_PORT', '', 65_535),
  };
}

function parse(words: string[]) {
  try {
    return parseArgs({
      args: words,
      options: {
        host: { type: 'string' },
        port: { type: 'string' },
        workers: { type: 'string' },
        'trust-proxy': { type: 'string' },
        'max-connections': { type: 'string' },
        'metrics-port': { type: 'string' },
        'backup-dir': { type: 'string' },
        'backup-every': { type: 'string' },
        'backup-keep': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
}
