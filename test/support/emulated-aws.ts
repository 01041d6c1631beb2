import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { AwsClient } from 'aws4fetch';
import { freePort } from '../../tools/harness/service.ts';

/*
 * An emulated AWS for deployments. `AWS_EMULATOR` is a command that starts one on the port
 * `AWS_EMULATOR_PORT` and prints its address. A command `down` in the same directory ends it.
 */

const command = resolve(process.env.AWS_EMULATOR ?? '../shared/aws/up');

/** Starts an emulator without state. Returns undefined, after a warning, if none is available. */
export async function startEmulator(): Promise<{ url: string; end: () => Promise<unknown> } | undefined> {
  if (!existsSync(command)) {
    console.warn('No deployment is tested, because there is no emulated AWS: AWS_EMULATOR is a command that starts one.');
    return undefined;
  }
  const run = promisify(execFile);
  const options = { timeout: 170_000, env: { ...process.env, AWS_EMULATOR_PORT: String(await freePort()) } };
  const { stdout } = await run(command, options);
  return { url: stdout.trim(), end: () => run(join(dirname(command), 'down'), options) };
}

export const region = 'eu-central-1';
export const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: region };

/** Calls to the services of an emulator. */
export function callsTo(url: string) {
  const client = new AwsClient({ accessKeyId: 'test', secretAccessKey: 'test', region, retries: 0 });
  const call = async (service: string, path: string, sent: RequestInit = {}) => {
    const response = await client.fetch(`${url}${path}`, { ...sent, aws: { service, region } });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  return {
    /** The resources of a stack, by logical id; undefined if the stack does not exist. */
    resourcesOf: async (stack: string): Promise<Map<string, { type: string; id: string }> | undefined> => {
      const body = new URLSearchParams({ Action: 'DescribeStackResources', Version: '2010-05-15', StackName: stack }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { status, bytes } = await call('cloudformation', '/', { method: 'POST', headers, body });
      if (status !== 200) return undefined;
      const field = (text: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? '';
      const members = String(bytes).match(/<member>[\s\S]*?<\/member>/g) ?? [];
      return new Map(
        members.map((member) => [
          field(member, 'LogicalResourceId'),
          { type: field(member, 'ResourceType'), id: field(member, 'PhysicalResourceId') },
        ]),
      );
    },
    /** The configuration of a function. */
    functionOf: async (name: string) => {
      const { bytes } = await call('lambda', `/2015-03-31/functions/${name}`);
      return JSON.parse(String(bytes)) as { Configuration: Record<string, unknown>; Code: { Location: string } };
    },
    /** The attributes of a queue. */
    queueOf: async (name: string): Promise<Record<string, string>> => {
      const ask = async (target: string, body: object) => {
        const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${target}` };
        const { bytes } = await call('sqs', '/', { method: 'POST', headers, body: JSON.stringify(body) });
        return JSON.parse(String(bytes));
      };
      const { QueueUrl } = await ask('GetQueueUrl', { QueueName: name });
      return (await ask('GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] })).Attributes;
    },
    /** The bytes of an object. */
    objectOf: async (bucket: string, key: string): Promise<Buffer> => (await call('s3', `/${bucket}/${key}`)).bytes,
    /** The keys of a bucket. */
    keysOf: async (bucket: string): Promise<string[]> => {
      const { bytes } = await call('s3', `/${bucket}?list-type=2`);
      return [...String(bytes).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
    },
  };
}
