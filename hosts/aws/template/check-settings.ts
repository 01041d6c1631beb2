import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { isParameter } from '../../../lib/settings/setting-rules.ts';
import { settings, unknownSetting } from '../../../lib/settings/settings.ts';
import { concurrencySetting } from './concurrency.ts';
import { secretsIn } from './secrets.ts';
import { type Serverless, wholeNumber } from './serverless.ts';

const settingsFile = (serverless: Serverless) => {
  const name = `.env.${serverless.getProvider('aws').getStage()}`;
  const path = join(serverless.serviceDir, name);
  return { name, path, isThere: existsSync(path) };
};

/** Requires the settings file of a stage, so that a deployment does not lose earlier settings. */
export function requireSettings(serverless: Serverless): void {
  const { name, isThere } = settingsFile(serverless);
  if (serverless.processedInput.commands.join(' ') === 'deploy' && !isThere)
    throw new Error(`The file ${name} is missing. Write the settings of this stage into it, or leave it empty for the defaults.`);
}

/** Checks the settings as the server does: with an invalid one, no function would start. */
export async function checkSettings(serverless: Serverless): Promise<void> {
  const { service } = serverless;
  const file = settingsFile(serverless);
  const concurrency = Object.keys(service.functions).map(concurrencySetting);
  const isKnown = (name: string) => name in settings || concurrency.includes(name) || name.startsWith('AWS_');
  const names = file.isThere ? Object.keys(parseEnv(readFileSync(file.path, 'utf8'))) : [];
  const unknown = [...names, ...Object.keys(process.env).filter((name) => name.startsWith('CONCURRENCY_'))].find(
    (name) => !isKnown(name),
  );
  if (unknown !== undefined) throw new Error(`${unknownSetting(unknown)} (${file.name})`);
  const { FILES, FILES_ENDPOINT } = service.provider.environment;
  for (const { setting, parameter, example, version, called = setting } of secretsIn(service)) {
    if (parameter && !isParameter(parameter))
      throw new Error(
        `Set ${called} to the SSM parameter that has it, such as ssm:/chat-service/prod/${example}: it is a secret.`,
      );
    if (version) wholeNumber(`${setting}_VERSION`, version);
  }
  if (FILES && FILES !== 'off' && !String(FILES).startsWith('s3:'))
    throw new Error(
      'Leave FILES out, or set it to a bucket such as s3://chat-files: functions cannot keep files in a directory.',
    );
  if (FILES_ENDPOINT) throw new Error('Leave FILES_ENDPOINT out: functions use the keys of their roles, which only S3 accepts.');
  // Loaded dynamically: under serverless-offline the functions share this process, and config.ts
  // would read their settings too early.
  const { readConfig } = await import('../../../lib/settings/config.ts');
  readConfig(service.provider.environment as Record<string, string>);
  const { alarmEmail } = service.custom.deployment;
  if (alarmEmail && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(alarmEmail))
    throw new Error(`Set ALARM_EMAIL to an e-mail address, not '${alarmEmail}'.`);
}
