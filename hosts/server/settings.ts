import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ConfigError, readSetting, type Setting, type SettingName, settingNames, settings } from '../../lib/settings/settings.ts';

/** The settings of the server. */
export type Settings = ReturnType<typeof readSettings>;

/** An invalid setting on the command line or in the environment. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** The settings that have a command-line option, by option. */
const options = Object.fromEntries(
  settingNames.flatMap((name) => {
    const { option }: Setting = settings[name];
    return option === undefined ? [] : [[option, name] as const];
  }),
);

/** The help text of the command. */
export const usage = `Usage: npm run serve -- [OPTION...]
${Object.entries(options)
  .map(([option, name]) => `  --${option.padEnd(15)}  ${describe(name)}\n`)
  .join('')}  --help
`;

function describe(name: SettingName): string {
  const { meaning, fallback } = settings[name];
  const plain = meaning.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  return `${plain} (${name}, default ${fallback || 'none'})`;
}

/** Reads the settings from the command line, then the environment. Throws a `SettingsError`. */
export function readSettings(words: string[], environment: Record<string, string | undefined>) {
  const { help = false, ...given } = parse(words);
  const named = Object.entries(given).map(([option, value]) => [options[option], value]);
  const all = { ...environment, ...Object.fromEntries(named) };
  try {
    const directory = readSetting('BACKUP_DIR', all);
    const backup = {
      directory,
      every: readSetting('BACKUP_EVERY', all),
      keep: Math.max(1, readSetting('BACKUP_KEEP', all)),
    };
    const workers = readSetting('WORKERS', all);
    const metricsPort = readSetting('METRICS_PORT', all);
    return {
      help,
      host: readSetting('HTTP_HOST', all),
      port: readSetting('HTTP_PORT', all),
      workers: workers === 'auto' ? availableParallelism() : Math.max(1, workers),
      maxConnections: Math.max(1, readSetting('MAX_CONNECTIONS', all)),
      trustProxy: readSetting('TRUST_PROXY', all),
      /** `undefined` if backups are off. */
      backup: directory === '' ? undefined : backup,
      backupVariables: { BACKUP_DIR: all.BACKUP_DIR ?? '', BACKUP_EVERY: all.BACKUP_EVERY ?? '' },
      metricsPort: metricsPort === '' ? undefined : metricsPort,
      /** True if users see who is active. */
      presence: readSetting('PRESENCE', all) === 'on',
    };
  } catch (error) {
    throw error instanceof ConfigError ? new SettingsError(error.message) : error;
  }
}

function parse(words: string[]): { help?: boolean } & Record<string, string | boolean> {
  const texts = Object.keys(options).map((option) => [option, { type: 'string' }] as const);
  try {
    return {
      ...parseArgs({ args: words, options: { ...Object.fromEntries(texts), help: { type: 'boolean', short: 'h' } } }).values,
    };
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
}
