import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { RegoEngine, TemplateFile } from '@aws/cloudformation-validate';
import { afterAll, describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { serverless } from '../../../tools/harness/functions.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { callsTo, credentials, startEmulator } from '../../support/emulated-aws.ts';
import { findRuntimeClient, startFunction } from '../../support/lambda.ts';
import { linkProject, unpack } from '../../support/packaged.ts';
import { runCommand } from '../../support/run-command.ts';
import { startDatabase } from '../../support/worker.ts';

useOwnDatabase();
// The deployed functions use it from processes of their own.
await startDatabase();

/* The deployed resources, as CloudFormation creates them from the template and the archives. */

const emulator = await startEmulator();
const url = emulator?.url;
const directory = await mkdtemp(join(tmpdir(), 'chat-deploy-'));
afterAll(async () => {
  await emulator?.end();
  await rm(directory, { recursive: true });
});
// A stage of its own: the emulator keeps those of others.
const stage = `test-${randomBytes(4).toString('hex')}`;
const stack = `chat-service-${stage}`;
const aws = callsTo(url ?? '');
const project = url === undefined ? '' : await linkProject(join(directory, 'project'));
const packages = join(directory, 'packages');
const templatePath = join(packages, 'cloudformation-template-update-stack.json');

/** Types of resources that the emulator does not know. */
const notEmulated = [
  ...['Api', 'Deployment', 'Integration', 'Route', 'RouteResponse', 'Stage'].map((type) => `AWS::ApiGatewayV2::${type}`),
  'AWS::CloudWatch::Alarm',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::S3::BucketPolicy',
];

const run = async (command: string) => {
  // The emulator is done at once. The framework would look every five seconds.
  const own = { ...credentials, AWS_ENDPOINT_URL: url, HOME: directory, TMPDIR: directory, SLS_AWS_MONITORING_FREQUENCY: '200' };
  const ofTests = { SMTP_URL: undefined, FILES: undefined, SECRET_KEY: undefined, MONGODB_POOL_SIZE: undefined };
  const script = `cd '${project}' && exec serverless ${command} --stage ${stage}`;
  const { code, stdout, stderr } = await runCommand(['sh', '-c', script], { environment: { ...own, ...ofTests } });
  expect({ code, said: stdout + stderr }).toMatchObject({ code: 0 });
  return stdout + stderr;
};

describe.runIf(url !== undefined)('a deployment on an emulated AWS', { timeout: 600_000 }, () => {
  it('a deployment on an emulated AWS can be created, repeated, updated from an earlier version, and removed', async () => {
    const settings = 'CONNECTION_LIMIT=1500\nALARM_EMAIL=ops@example.org\n';
    await writeFile(join(project, `.env.${stage}`), settings);
    // An earlier version, with a function less and a schedule that is different now.
    const definition = await readFile(join(project, 'serverless.yml'), 'utf8');
    const earlier = definition.replace(/^ {2}directory:\n( {4}.*\n)+/m, '').replace('rate(1 hour)', 'rate(2 hours)');
    expect(earlier.length).toBeLessThan(definition.length);
    await writeFile(join(project, 'serverless.yml'), earlier);
    await run('deploy');
    const before = await aws.resourcesOf(stack);
    expect(before?.has('DirectoryLambdaFunction')).toBe(false);
    expect(await run('deploy')).toMatch(/No changes to deploy/);

    await writeFile(join(project, 'serverless.yml'), definition);
    await run(`package --package '${packages}'`);
    await run(`deploy --package '${packages}'`);
    const after = await aws.resourcesOf(stack);
    const template: { Resources: Record<string, { Type: string }> } = JSON.parse(await readFile(templatePath, 'utf8'));
    // The emulator passes over resources of these types, and makes all others.
    const missing = Object.entries(template.Resources).filter(([id]) => !after?.has(id));
    expect([...new Set(missing.map(([, { Type }]) => Type))].sort()).toEqual(notEmulated);
    const made = Object.entries(template.Resources).filter(([id]) => after?.has(id));
    for (const [id, { Type }] of made) expect([id, after?.get(id)?.type]).toEqual([id, Type]);
    // Resources with data are still the same.
    for (const id of ['FilesBucket', 'WebhooksQueue', 'DevicesQueue', 'FunctionsLogGroup']) {
      expect(before?.get(id)?.id).toBeTypeOf('string');
      expect(after?.get(id)).toEqual(before?.get(id));
    }

    for (const name of Object.keys(serverless.functions))
      expect((await aws.functionOf(`${stack}-${name}`)).Configuration).toMatchObject({ Runtime: 'nodejs24.x' });
    const { Configuration } = await aws.functionOf(`${stack}-messages`);
    const queue = await aws.queueOf(`${stack}-devices.fifo`);
    expect(queue).toMatchObject({ DelaySeconds: '4', VisibilityTimeout: '60', FifoQueue: 'true' });
    expect(Configuration).toMatchObject({
      Environment: { Variables: { MONGODB_URI: `ssm:/chat-service/${stage}/mongodb-uri`, PUSH_FUNCTION: `${stack}-push` } },
    });

    const bucket = after?.get('ServerlessDeploymentBucket')?.id ?? '';
    const keys = await aws.keysOf(bucket);
    await preparedBy(await aws.objectOf(bucket, keys.findLast((key) => key.endsWith('/prepare.zip')) ?? ''));
    expect(keys.filter((key) => key.endsWith('/source-maps.zip')).length).toBeGreaterThan(0);

    await run('remove');
    expect(await aws.resourcesOf(stack)).toBeUndefined();
  });

  it('a deployment has a template in which the validator of AWS finds no error and no warning but those of the framework', () => {
    const engine = new RegoEngine();
    const { diagnostics } = engine.validateStandard(new TemplateFile(templatePath));
    engine.free();
    const found = diagnostics.filter(({ severity }) => severity !== 'INFO').map(({ ruleId, message }) => `${ruleId} ${message}`);
    // W3005: the framework declares a dependency that a reference already implies.
    expect(found.filter((one) => !one.startsWith('W3005 '))).toEqual([]);
  });
});

/** Runs the deployed archive of `prepare` as CloudFormation does, on an empty database. */
async function preparedBy(archive: Buffer): Promise<void> {
  const runtimeClient = await findRuntimeClient();
  if (runtimeClient === undefined) return;
  await writeFile(join(directory, 'prepare.zip'), archive);
  await unpack(join(directory, 'prepare.zip'), join(directory, 'prepare'));
  await database.dropDatabase();
  const answers: object[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    if (request.method === 'PUT') answers.push(body);
    const isUri = body.Name === '/chat-service/test/mongodb-uri';
    response.writeHead(request.method === 'PUT' || isUri ? 200 : 400);
    response.end(JSON.stringify(isUri ? { Parameter: { Value: process.env.MONGODB_URI } } : { __type: 'ParameterNotFound' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ids = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Prepared' };
  const start = (parameter: string) =>
    startFunction(
      runtimeClient,
      join(directory, 'prepare'),
      'prepare',
      {
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_ENDPOINT_URL_SSM: own,
        MONGODB_URI: `ssm:${parameter}`,
        SECRETS: 'MONGODB_URI',
        MONGODB_DATABASE: process.env.MONGODB_DATABASE,
        MONGODB_POOL_SIZE: '2',
      },
      { handler: 'hosts/aws/runtime/prepare.handler' },
    );

  const broken = await start('/chat-service/test/nothing');
  await broken.invoke({ RequestType: 'Create', ResponseURL: own, ...ids });
  await broken.end();
  const prepare = await start('/chat-service/test/mongodb-uri');
  for (const RequestType of ['Create', 'Update', 'Delete']) await prepare.invoke({ RequestType, ResponseURL: own, ...ids });
  await prepare.end();
  server.close();
  const done = { ...ids, PhysicalResourceId: 'indexes' };
  expect(answers).toEqual([
    { ...done, Status: 'FAILED', Reason: expect.stringContaining('/chat-service/test/nothing could not be read') },
    ...Array(3).fill({ ...done, Status: 'SUCCESS' }),
  ]);
  expect((await database.collection('users').indexes()).length).toBeGreaterThan(1);
}
