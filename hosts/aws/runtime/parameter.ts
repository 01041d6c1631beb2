import { json } from 'node:stream/consumers';
import { attempt } from '../../../lib/base/deadline.ts';
import { isParameter, type Rule } from '../../../lib/settings/setting-rules.ts';
import { type SettingName, settings } from '../../../lib/settings/settings.ts';
import { sendSigned } from './signed-request.ts';

/*
 * The secrets of a deployment are SecureStrings in SSM Parameter Store, so no function's
 * configuration contains them. Functions read the secrets that they need when they start. The mail
 * server is read with the first e-mail.
 */

const { AWS_ENDPOINT_URL_SSM } = process.env;

/**
 * Reads a parameter. Retries temporary failures, for less than the 10 seconds that Lambda allows
 * for the start.
 */
export function readParameter(name: string): Promise<string> {
  let reason = '';
  const exhausted = () => new Error(`The SSM parameter ${name} could not be read: ${reason}`);
  // SSM allows 40 reads per second, which many functions starting together exceed.
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
 * Replaces the parameter names in the variables listed in `SECRETS` by the secrets. If a secret
 * cannot be read, the function does not start. The log then has the reason, Lambda responds with
 * 500, and the next request tries again.
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
