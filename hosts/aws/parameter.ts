import { json } from 'node:stream/consumers';
import { attempt } from '../../lib/base/deadline.ts';
import { isParameter } from '../../lib/settings/setting-rules.ts';
import { sendSigned } from './signed-request.ts';

/*
 * The secrets of a deployment are SecureStrings of SSM Parameter Store, so that they stand in no function's configuration. A function reads what
 * it needs when it starts, but for the mail server, which only e-mails need. If that fails, so does the start: the reason is in the log, Lambda
 * answers with 500, and the next request starts the function again.
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

/** The secret that a setting is, or that the parameter has which it names; an error for a parameter that is not what it has to be. */
export async function readSecret(setting: string, isUsable = (_: string): boolean => true, rule = ''): Promise<string> {
  if (!isParameter(setting)) return setting;
  const name = setting.slice('ssm:'.length);
  const value = await readParameter(name);
  if (!isUsable(value)) throw new Error(`The SSM parameter ${name} is not ${rule}.`);
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
