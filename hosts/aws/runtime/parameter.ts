import { json } from 'node:stream/consumers';
import { attempt } from '../../../lib/base/deadline.ts';
import { isParameter, type Rule } from '../../../lib/settings/setting-rules.ts';
import { type SettingName, settings } from '../../../lib/settings/settings.ts';
import { sendSigned } from './signed-request.ts';

/*
 * The secrets of a deployment are SecureStrings of SSM Parameter Store, and in no function's configuration. A function
 * reads those that it needs when it starts, except the mail server, which only e-mails need.
 */

const { AWS_ENDPOINT_URL_SSM } = process.env;

/** Reads a parameter; repeats that for less than the 10 seconds that Lambda waits for the start, if the failure is temporary. */
export function readParameter(name: string): Promise<string> {
  let reason = '';
  const exhausted = () => new Error(`The SSM parameter ${name} could not be read: ${reason}`);
  // Many functions that start at the same moment exceed the 40 reads a second that SSM allows.
  const pause = (count: number) => Math.min(50 * 2 ** count, 800) * (0.5 + Math.random());
  return attempt({ milliseconds: 6_000, pause, exhausted }, async () => {
    const { value, failure, isTemporary } = await getParameter(name);
    if (value !== undefined) return value;
    reason = failure;
    if (!isTemporary) throw exhausted();
    return undefined;
  });
}

/**
 * Puts secrets into the variables that `SECRETS` lists, in place of the names of their parameters. A function that
 * cannot read one fails to start: the reason is in the log, Lambda answers 500, and the next request tries again.
 */
export async function readSecrets(environment: Record<string, string | undefined>): Promise<void> {
  const names = (environment.SECRETS ?? '').split(',').filter(Boolean);
  await Promise.all(
    names.map(async (name) => {
      environment[name] = await resolveSetting(name, environment[name] ?? '');
    }),
  );
}

async function resolveSetting(setting: string, text: string): Promise<string> {
  if (isParameter(text)) return readSecret(text, settings[setting as SettingName].rule);
  const parsed = setting === 'OIDC_PROVIDERS' && text !== '' ? (JSON.parse(text) as { client_secret?: string }[]) : undefined;
  if (!parsed) return text;
  const resolved = parsed.map(async ({ client_secret = '', ...provider }) => ({
    ...provider,
    client_secret: isParameter(client_secret) ? await readSecret(client_secret) : client_secret,
  }));
  return JSON.stringify(await Promise.all(resolved));
}

async function readSecret(parameter: string, rule?: Rule<unknown>): Promise<string> {
  const name = parameter.slice('ssm:'.length);
  const value = await readParameter(name);
  if (rule && rule.read(value) === undefined) throw new Error(`The SSM parameter ${name} is not ${rule.says(value)}.`);
  return value;
}

type Reply = { value: string; failure?: undefined; isTemporary?: undefined } | Failure;
type Failure = { value?: undefined; failure: string; isTemporary: boolean };

async function getParameter(name: string): Promise<Reply> {
  try {
    const response = await sendSigned({
      service: 'ssm',
      endpoint: AWS_ENDPOINT_URL_SSM ?? '',
      method: 'POST',
      path: '/',
      headers: { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'AmazonSSM.GetParameter' },
      body: JSON.stringify({ Name: name, WithDecryption: true }),
      time: 2_000,
    });
    const { Parameter, __type: type, message } = (await json(response)) as Record<string, unknown>;
    if (response.statusCode === 200) return { value: (Parameter as { Value: string }).Value.trim() };
    return {
      failure: [type, message].filter(Boolean).join(': '),
      isTemporary: Number(response.statusCode) >= 500 || /Throttling/.test(String(type)),
    };
  } catch (error) {
    return { failure: String(error), isTemporary: true };
  }
}
