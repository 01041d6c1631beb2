import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import esbuildPlugins from '../hosts/aws/esbuild-plugins.ts';
import { loadHandler } from '../hosts/server/routes.ts';
import { functions, serverless } from '../tools/harness/functions.ts';
import { inProcess as call } from './support/transports.ts';

describe('serverless.yml', () => {
  it('runs Node.js 24 on arm64', () => {
    expect(serverless.provider).toMatchObject({ runtime: 'nodejs24.x', architecture: 'arm64' });
  });

  it('has one function for each file in functions/', async () => {
    expect(functions.map(({ file }) => file).sort()).toEqual(
      (await readdir('functions')).map((file) => `functions/${file}`).sort(),
    );
  });

  it.each(functions)('$name: $file exports its handler, and answers OPTIONS with its methods', async (route) => {
    const { path, file, exported } = route;
    expect(existsSync(file)).toBe(true);
    expect(exported).toBe('handler');
    const handler = await loadHandler(route);
    expect(handler).toEqual(expect.any(Function));
    const methods = Object.keys(handler.operations);
    const { status, headers } = await call('OPTIONS', path === '*' ? '/nowhere' : path.replaceAll(/\{\w+\}/g, 'x'));
    expect({ status, allow: headers.allow }).toEqual({ status: 204, allow: [...methods, 'OPTIONS'].join(', ') });
  });

  it('bundles password hashing, and the list of common passwords, only where they are needed', async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: functions.map(({ file }) => file),
      bundle: true,
      platform: 'node',
      format: 'esm',
      metafile: true,
      write: false,
      outdir: 'bundles',
      plugins: esbuildPlugins,
    });
    const bundles = Object.values(metafile.outputs);
    const loads = (module: string) =>
      functions
        .filter(({ file }) => {
          const bundle = bundles.find(({ entryPoint }) => entryPoint === file);
          return Object.keys(bundle?.inputs ?? {}).some((input) => input.includes(module));
        })
        .map(({ name }) => name);
    expect(loads('node_modules/bcryptjs/')).toEqual(['users', 'user', 'sessions']);
    expect(loads('lib/accounts/common-passwords.ts')).toEqual(['users', 'user']);
    expect(loads('node_modules/@zxcvbn-ts/')).toEqual([]);
    const haveList = outputFiles.filter(({ text }) => text.includes('"password1"')).map(({ path }) => basename(path));
    expect(haveList).toEqual(['users.js', 'user.js']);
    const withoutDatabase = ['docs', 'docs-json', 'web', 'web-asset', 'not-found'];
    expect(loads('node_modules/mongodb/')).toEqual(
      functions.map(({ name }) => name).filter((name) => !withoutDatabase.includes(name)),
    );
  });

  it('packages without credentials, one bundle per function', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'chat-package-'));
    const noCredentials = {
      ...process.env,
      AWS_ACCESS_KEY_ID: undefined,
      AWS_SECRET_ACCESS_KEY: undefined,
      AWS_PROFILE: undefined,
      MONGODB_POOL_SIZE: undefined,
      HOME: directory,
      TMPDIR: directory,
      CONNECTION_LIMIT: '1500',
      CONCURRENCY_ROOMS: '7',
      ALARM_EMAIL: 'ops@example.org',
    };
    await promisify(execFile)('npx', ['serverless', 'package', '--package', directory], { env: noCredentials });
    const bundles = (await readdir(directory)).filter((file) => file.endsWith('.zip'));
    expect(bundles.sort()).toEqual(functions.map(({ name }) => `${name}.zip`).sort());

    const template = JSON.parse(await readFile(join(directory, 'cloudformation-template-update-stack.json'), 'utf8'));
    const resources = Object.values<{ Type: string; Properties: Record<string, unknown> }>(template.Resources);
    const of = (type: string) => resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties);
    expect(of('AWS::Lambda::Function')).toHaveLength(functions.length);
    // Four fifths of the connections, 6 per process (a pool of 5, and one for monitoring), shared by all functions.
    const share = Math.floor((0.8 * 1_500) / 6 / functions.length);
    for (const { FunctionName, ...properties } of of('AWS::Lambda::Function')) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Timeout: 20,
        TracingConfig: { Mode: 'PassThrough' },
        ReservedConcurrentExecutions: FunctionName === 'chat-service-dev-rooms' ? 7 : share,
        Environment: { Variables: { MONGODB_URI: '{{resolve:ssm:/chat-service/dev/mongodb-uri}}' } },
      });
    }
    // Each function has its own role, which may write its own log and nothing else.
    const roles = of('AWS::Lambda::Function').map(({ Role }) => template.Resources[(Role as Reference)['Fn::GetAtt'][0]]);
    expect(roles.map((role) => statementsOf(role))).toEqual(
      of('AWS::Lambda::Function').map(({ FunctionName }) => [
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: [{ 'Fn::Sub': expect.stringMatching(new RegExp(`:log-group:/aws/lambda/${FunctionName}:\\*$`)) }],
        },
      ]),
    );
    expect(of('AWS::IAM::Role')).toHaveLength(functions.length);
    expect(roles.flatMap((role) => role.Properties.ManagedPolicyArns ?? [])).toEqual([]);

    const alarms = of('AWS::CloudWatch::Alarm').map(({ MetricName }) => MetricName);
    expect(alarms.sort()).toEqual(['5xx', 'Latency', ...functions.map(() => 'Throttles')]);
    for (const { AlarmActions } of of('AWS::CloudWatch::Alarm')) expect(AlarmActions).toEqual([{ Ref: 'AlarmTopic' }]);
    expect(of('AWS::SNS::Topic')).toEqual([{ Subscription: [{ Protocol: 'email', Endpoint: 'ops@example.org' }] }]);
    for (const properties of of('AWS::Logs::LogGroup')) expect(properties).toMatchObject({ RetentionInDays: 30 });
    expect(of('AWS::ApiGatewayV2::Stage')).toEqual([
      expect.objectContaining({
        DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
        AccessLogSettings: { DestinationArn: expect.anything(), Format: expect.stringContaining('$context.requestId') },
      }),
    ]);
    await rm(directory, { recursive: true });
  });
});

type Reference = { 'Fn::GetAtt': [string, string] };

const statementsOf = (role: { Properties: { Policies: { PolicyDocument: { Statement: unknown[] } }[] } }) =>
  role.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
