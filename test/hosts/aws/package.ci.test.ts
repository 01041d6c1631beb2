import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { driverPath } from '../../../hosts/aws/bundles/bundle.ts';
import { concurrencyTable, heldBack, planConcurrency } from '../../../hosts/aws/template/concurrency.ts';
import { indexVersion } from '../../../lib/database/index-version.ts';
import { tasks } from '../../../lib/delivery/tasks.ts';
import { addConnection, greetConnection, removeConnection } from '../../../lib/gateway/connections.ts';
import { findCaller } from '../../../lib/identity/authenticate.ts';
import { ensureIndexes } from '../../../lib/operating/prepare.ts';
import { functionsThatMay, otherFunctions, serverless, functions as withPath } from '../../../tools/harness/functions.ts';
import { invocation, type SentRequest } from '../../../tools/harness/transports.ts';
import { aName, anAccount } from '../../support/accounts.ts';
import { beginPasskey, beginSignIn, make, sign } from '../../support/authenticator.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { blocksOf } from '../../support/document-blocks.ts';
import { startFakeS3 } from '../../support/fake-s3.ts';
import { announced } from '../../support/files.ts';
import { startCluster } from '../../support/iam-cluster.ts';
import { mailsTo } from '../../support/mail.ts';
import { anAgent, revisions } from '../../support/mcp.ts';
import { linkProject, packageFunctions } from '../../support/packaged.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { runCommand } from '../../support/run-command.ts';
import { inProcess } from '../../support/transports.ts';
import { startDatabase } from '../../support/worker.ts';

// In the database of other test files, devices and bots could wait for their notifications.
useOwnDatabase();
// The packaged functions use it from processes of their own, and write nothing before it has its
// indexes.
await startDatabase();
await ensureIndexes();

const functions = [...withPath, ...otherFunctions];
const directory = await mkdtemp(join(tmpdir(), 'chat-package-'));
afterAll(() => rm(directory, { recursive: true }));

const packaged = await packageFunctions(directory, {
  CONNECTION_LIMIT: '1500',
  MONGODB_URI_VERSION: '2',
  CONCURRENCY_ROOMS: '7',
  ALARM_EMAIL: 'ops@example.org',
  SMTP_URL: 'ssm:/chat-service/dev/smtp-url',
  SMTP_URL_VERSION: '3',
  SECRET_KEY: 'ssm:/chat-service/dev/secret-key',
  SECRET_KEY_VERSION: '5',
  ACCOUNT_CONCURRENCY: '1000',
  OIDC_ISSUER: 'https://id.example.org',
  OIDC_CLIENT_ID: 'chat',
  OIDC_CLIENT_SECRET: 'ssm:/chat-service/dev/oidc-secret',
  OIDC_CLIENT_SECRET_VERSION: '5',
  OIDC_PROVIDERS:
    '[{"id":"gitlab","name":"GitLab","issuer":"https://gitlab.example.org","client_id":"chat","client_secret":"ssm:/chat-service/dev/oidc-gitlab"}]',
  OIDC_PROVIDERS_VERSION: '6',
  CLOUDFRONT_SECRET: 'ssm:/chat-service/dev/cloudfront-secret',
  CLOUDFRONT_SECRET_VERSION: '4',
  MONGODB_POOL_SIZE: undefined,
});
const template: Template = JSON.parse(
  await readFile(join(directory, 'packages', 'cloudformation-template-update-stack.json'), 'utf8'),
);
const of = (type: string) =>
  Object.values(template.Resources)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);
const deployed = of('AWS::Lambda::Function');
const nameOf = ({ FunctionName }: Pick<Properties, 'FunctionName'>) => FunctionName.replace('chat-service-dev-', '');
const may = (right: string) => {
  const names = functionsThatMay(right);
  return (properties: Properties) => names.includes(nameOf(properties));
};
const usesDatabase = may('database');
const hasRequests = (properties: Properties) => withPath.some(({ name }) => name === nameOf(properties));

describe('a deployment', () => {
  it('a deployment has one function for each of serverless.yml, packaged without credentials', () => {
    expect(packaged.map(({ name }) => name).sort()).toEqual(functions.map(({ name }) => name).sort());
    expect(deployed).toHaveLength(functions.length);
  });

  it('a deployment fits well within the 500 resources that CloudFormation takes', () => {
    const resources = Object.keys(template.Resources).length;
    expect(resources).toBeLessThanOrEqual(300);
    // A further function adds itself, its integration and its route.
    const ofFunctions = ['AWS::Lambda::Function', 'AWS::ApiGatewayV2::Integration', 'AWS::ApiGatewayV2::Route'];
    expect(resources - ofFunctions.flatMap(of).length).toBeLessThanOrEqual(52);
    for (const none of ['AWS::Lambda::Version', 'AWS::Lambda::Alias']) expect(of(none)).toEqual([]);
    expect(JSON.stringify(template).length).toBeLessThan(500_000);
  });

  it('a deployment has routes for ANY method, for OPTIONS, and for calls with a limit of their own', () => {
    const keys = of('AWS::ApiGatewayV2::Route').map(({ RouteKey }) => String(RouteKey));
    expect(keys.filter((key) => !/^(ANY |\$)/.test(key)).sort()).toEqual([
      'POST /api/codes',
      'POST /api/sessions',
      'POST /api/users',
    ]);
  });

  it('a deployment has functions of Node.js 24 on arm64, with enough time for their work', () => {
    const times: Record<string, number> = { deliver: 30, notify: 60, prepare: 900 };
    for (const properties of deployed)
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Timeout: times[nameOf(properties)] ?? 20,
        TracingConfig: { Mode: 'PassThrough' },
      });
  });

  it('a deployment reserves concurrency for busy functions, within the connections of the cluster', async () => {
    const reserved = Object.fromEntries(
      deployed.flatMap((one) =>
        one.ReservedConcurrentExecutions === undefined ? [] : [[nameOf(one), one.ReservedConcurrentExecutions]],
      ),
    );
    const { reserved: planned } = planConcurrency(1_500, 2);
    expect(reserved).toEqual({ ...planned, rooms: 7, prepare: 600 });
    // As many logins as the gateway admits at the same moment.
    expect(reserved.sessions).toBe(10);
    // The rest of the account's quota can never run.
    expect(3 * (1_000 - Number(reserved.prepare))).toBeLessThanOrEqual(0.8 * 1_500);
    expect(await readFile('docs/deploying.md', 'utf8')).toContain(concurrencyTable());
  });

  it.each([500, 1_500, 3_000])('the concurrency of a cluster with %i connections leaves what AWS wants unreserved', (limit) => {
    for (const pool of [1, 2]) {
      const { all, reserved, others } = planConcurrency(limit, pool);
      expect((pool + 1) * all).toBeLessThanOrEqual(limit);
      expect(others).toBeGreaterThanOrEqual(100);
      expect(Object.values(reserved).reduce((sum, count) => sum + count, others)).toBe(all);
    }
  });

  it('a cluster or a quota that is too small for reservations is refused with the reason', () => {
    expect(() => planConcurrency(300, 2)).toThrow('CONNECTION_LIMIT is too small');
    expect(() => heldBack(100, planConcurrency(1_500, 2))).toThrow('ACCOUNT_CONCURRENCY is too small');
  });

  it('a deployment names the connection string to the functions with a database, and contains it nowhere', () => {
    for (const properties of deployed) {
      const { MONGODB_URI } = properties.Environment.Variables;
      expect(MONGODB_URI).toBe(usesDatabase(properties) ? 'ssm:/chat-service/dev/mongodb-uri' : undefined);
    }
    expect(JSON.stringify(template)).not.toMatch(/resolve:|mongodb(\+srv)?:/);
  });

  it('a deployment names the mail server to all functions, and contains it nowhere', () => {
    const sendsMail = may('mail');
    expect(deployed.filter(sendsMail).map(nameOf)).toEqual(['room-invitations', 'codes', 'notify']);
    for (const properties of deployed) {
      const { SMTP_URL, SMTP_URL_VERSION } = properties.Environment.Variables;
      expect(SMTP_URL).toBe('ssm:/chat-service/dev/smtp-url');
      expect(SMTP_URL_VERSION).toBe(sendsMail(properties) ? '3' : undefined);
    }
    expect(JSON.stringify(template)).not.toMatch(/smtps?:/);
  });

  it('a deployment names the key of second factors to all functions, and its version to those that read it', () => {
    const hasKey = may('secret-key');
    expect(deployed.filter(hasKey)).toHaveLength(10);
    for (const properties of deployed) {
      const { SECRET_KEY, SECRET_KEY_VERSION } = properties.Environment.Variables;
      expect(SECRET_KEY).toBe('ssm:/chat-service/dev/secret-key');
      expect(SECRET_KEY_VERSION).toBe(hasKey(properties) ? '5' : undefined);
    }
  });

  it("a deployment names the identity providers' secrets to all functions, and contains it nowhere", () => {
    const asksProvider = may('identity-providers');
    expect(deployed.filter(asksProvider).map(nameOf)).toEqual(['oidc']);
    for (const properties of deployed) {
      const { OIDC_CLIENT_SECRET, OIDC_CLIENT_SECRET_VERSION, OIDC_PROVIDERS_VERSION } = properties.Environment.Variables;
      expect(OIDC_CLIENT_SECRET).toBe('ssm:/chat-service/dev/oidc-secret');
      expect(OIDC_CLIENT_SECRET_VERSION).toBe(asksProvider(properties) ? '5' : undefined);
      expect(OIDC_PROVIDERS_VERSION).toBe(asksProvider(properties) ? '6' : undefined);
    }
  });

  it('a deployment has the version of the connection string in the configuration of these functions, so that a new one restarts them', () => {
    for (const properties of deployed)
      expect(properties.Environment.Variables.MONGODB_URI_VERSION).toBe(usesDatabase(properties) ? '2' : undefined);
  });

  it("a deployment names CloudFront's secret to the functions with HTTP requests, and its version, so that a new one restarts them", () => {
    for (const properties of deployed) {
      const { CLOUDFRONT_SECRET: parameter, CLOUDFRONT_SECRET_VERSION: version } = properties.Environment.Variables;
      const named = hasRequests(properties) ? ['ssm:/chat-service/dev/cloudfront-secret', '4'] : [undefined, undefined];
      expect([parameter, version]).toEqual(named);
    }
  });

  it('a deployment names the secrets that a function reads when it starts: all but the mail server', () => {
    const listed = Object.fromEntries(deployed.map((one) => [nameOf(one), one.Environment.Variables.SECRETS]));
    expect(listed).toMatchObject({
      docs: 'CLOUDFRONT_SECRET',
      codes: 'MONGODB_URI,CLOUDFRONT_SECRET',
      sessions: 'MONGODB_URI,SECRET_KEY,CLOUDFRONT_SECRET',
      oidc: 'MONGODB_URI,OIDC_CLIENT_SECRET,OIDC_PROVIDERS,CLOUDFRONT_SECRET',
      notify: 'MONGODB_URI,SECRET_KEY',
      push: 'MONGODB_URI',
    });
  });

  it('a deployment has a role for each set of rights, with no other right', () => {
    const { roles } = serverless.custom.deployment;
    const parameters: Record<string, string[]> = {
      database: ['mongodb-uri'],
      mail: ['smtp-url'],
      'secret-key': ['secret-key'],
      'identity-providers': ['oidc-secret', 'oidc-gitlab'],
    };
    const ofRequests = [
      'Pages',
      'Database',
      'Notices',
      'Mail',
      'SecretKey',
      'SignIn',
      'SendFiles',
      'ReadFiles',
      'DeleteFiles',
      'Accounts',
      'Agents',
    ];
    for (const [role, rights] of Object.entries(roles)) {
      const statements = template.Resources[`${role}Role`]?.Properties.Policies.flatMap(
        ({ PolicyDocument }) => PolicyDocument.Statement,
      );
      const has = (right: string) => rights.includes(right);
      const queues = ['WebhooksQueue', 'DevicesQueue'].map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
      const files = `arn:\${AWS::Partition}:s3:::\${FilesBucket}`;
      expect(statements).toEqual([
        allow(['logs:CreateLogStream', 'logs:PutLogEvents'], `${account('logs')}:log-group:/aws/lambda/chat-service-dev:*`),
        ...rights.flatMap((right) => parameters[right] ?? []).flatMap(reading),
        ...(ofRequests.includes(role) ? reading('cloudfront-secret') : []),
        ...(has('notices') ? [allow(['lambda:InvokeFunction'], `${account('lambda')}:function:chat-service-dev-push`)] : []),
        ...(has('queue') ? [{ Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: queues }] : []),
        ...(has('take-from-queue')
          ? [{ Effect: 'Allow', Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], Resource: queues }]
          : []),
        ...(has('sockets')
          ? [allow(['execute-api:ManageConnections'], `${account('execute-api')}:\${WebsocketsApi}/*/@connections/*`)]
          : []),
        ...(has('put-files') ? [allow(['s3:PutObject'], `${files}/*`)] : []),
        ...(has('get-files') ? [allow(['s3:GetObject'], `${files}/*`), allow(['s3:ListBucket'], files)] : []),
        ...(has('delete-files') ? [allow(['s3:DeleteObject'], `${files}/*`), allow(['s3:ListBucket'], files)] : []),
      ]);
    }
    for (const properties of deployed) {
      const { role = 'Database' } = serverless.functions[nameOf(properties)] ?? {};
      expect(properties.Role).toEqual({ 'Fn::GetAtt': [`${role}Role`, 'Arn'] });
    }
    expect(of('AWS::IAM::Role')).toHaveLength(Object.keys(roles).length + 1);
  });

  it('a deployment lets the gateways invoke its functions by one role, and the schedules two of them', () => {
    expect(template.Resources.GatewayRole?.Properties).toMatchObject({
      AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: ['apigateway.amazonaws.com'] } }] },
      Policies: [
        {
          PolicyDocument: {
            Statement: [allow(['lambda:InvokeFunction'], `${account('lambda')}:function:chat-service-dev-*`)],
          },
        },
      ],
    });
    for (const { CredentialsArn } of of('AWS::ApiGatewayV2::Integration'))
      expect(CredentialsArn).toEqual({ 'Fn::GetAtt': ['GatewayRole', 'Arn'] });
    const permissions = of('AWS::Lambda::Permission');
    expect(permissions.map(({ Principal }) => Principal)).toEqual(['events.amazonaws.com', 'events.amazonaws.com']);
  });

  it('a deployment creates the indexes of its version before any other function is there', () => {
    expect(template.Resources.Prepared).toMatchObject({
      Type: 'Custom::Prepared',
      Properties: {
        ServiceToken: { 'Fn::GetAtt': ['PrepareLambdaFunction', 'Arn'] },
        ServiceTimeout: 900,
        IndexVersion: indexVersion,
        EventDays: '30',
      },
    });
    const waiting = Object.values(template.Resources).filter(({ DependsOn }) => DependsOn?.includes('Prepared'));
    expect(waiting.map(({ Properties }) => nameOf(Properties)).sort()).toEqual(
      functions
        .map(({ name }) => name)
        .filter((name) => name !== 'prepare')
        .sort(),
    );
  });

  it('a deployment has queues for webhooks and, four seconds later, for devices, one room in one function at a time', () => {
    const named = Object.fromEntries(of('AWS::SQS::Queue').map(({ QueueName, ...queue }) => [String(QueueName), queue]));
    const queue = {
      FifoQueue: true,
      SqsManagedSseEnabled: true,
      VisibilityTimeout: 60,
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetterQueue', 'Arn'] }, maxReceiveCount: 5 },
    };
    expect(named).toEqual({
      'chat-service-dev-webhooks.fifo': { ...queue, DelaySeconds: 0 },
      'chat-service-dev-devices.fifo': { ...queue, DelaySeconds: tasks.devices.delayMs / 1_000 },
      'chat-service-dev-dead-letters.fifo': { FifoQueue: true, SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 },
    });
    for (const mapping of of('AWS::Lambda::EventSourceMapping'))
      expect(mapping).toMatchObject({
        BatchSize: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 10 },
      });
  });

  it('a deployment keeps files in a private bucket, which stays after the removal of the stack', () => {
    expect(template.Resources.FilesBucket).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(of('AWS::S3::Bucket')).toContainEqual(
      expect.objectContaining({
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        BucketEncryption: { ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }] },
        CorsConfiguration: {
          CorsRules: [
            {
              AllowedOrigins: ['*'],
              AllowedMethods: ['PUT', 'GET', 'HEAD'],
              AllowedHeaders: ['content-type', 'x-amz-checksum-sha256'],
              MaxAge: 3_600,
            },
          ],
        },
        LifecycleConfiguration: {
          Rules: [{ Id: 'unfinished', Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }],
        },
      }),
    );
    expect(template.Resources.FilesBucketPolicy?.Properties).toMatchObject({
      Bucket: { Ref: 'FilesBucket' },
      PolicyDocument: {
        Statement: [{ Effect: 'Deny', Principal: '*', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
      },
    });
    for (const { Environment } of deployed)
      expect(Environment.Variables).toMatchObject({
        FILES: { 'Fn::Sub': `s3://\${FilesBucket}` },
        FILES_ENDPOINT: { 'Fn::Sub': `https://s3.\${AWS::Region}.\${AWS::URLSuffix}` },
      });
  });

  it('a deployment sweeps the files every hour, once, and looks for reminders every minute', () => {
    const rules = of('AWS::Events::Rule').map(({ ScheduleExpression, State }) => [ScheduleExpression, State]);
    expect(rules.sort()).toEqual([
      ['rate(1 hour)', 'ENABLED'],
      ['rate(1 minute)', 'ENABLED'],
    ]);
    for (const name of ['Sweep', 'Notify']) {
      const [invoked] = of('AWS::Lambda::EventInvokeConfig').filter(({ FunctionName }) =>
        JSON.stringify(FunctionName).includes(name),
      );
      expect(invoked).toMatchObject({ MaximumRetryAttempts: 0 });
    }
  });

  it('a deployment has alarms, and keeps all logs of its functions in one group for 30 days', () => {
    const alarms = of('AWS::CloudWatch::Alarm').map(({ MetricName }) => MetricName);
    expect(alarms.sort()).toEqual([
      '5xx',
      'ApproximateNumberOfMessagesVisible',
      'AsyncEventsDropped',
      'Errors',
      'Errors',
      'Errors',
      'IntegrationError',
      'Latency',
      'Throttles',
    ]);
    const page = readFileSync('docs/deploying.md', 'utf8');
    expect(page).toContain(`${alarms.length} alarms`);
    for (const { AlarmActions } of of('AWS::CloudWatch::Alarm')) expect(AlarmActions).toEqual([{ Ref: 'AlarmTopic' }]);
    expect(of('AWS::SNS::Topic')).toEqual([{ Subscription: [{ Protocol: 'email', Endpoint: 'ops@example.org' }] }]);
    const groups = of('AWS::Logs::LogGroup');
    expect(groups.map(({ LogGroupName }) => LogGroupName)).toEqual([
      '/aws/http-api/chat-service-dev',
      '/aws/lambda/chat-service-dev',
    ]);
    for (const properties of groups) expect(properties).toMatchObject({ RetentionInDays: 30 });
    for (const { LoggingConfig } of deployed)
      expect(LoggingConfig).toEqual({ LogFormat: 'JSON', LogGroup: '/aws/lambda/chat-service-dev' });
  });

  it('the documented policy for deployments names each kind of resource, and every action on roles', () => {
    const block = blocksOf('docs/deploying.md').find(({ mark }) => mark === 'policy');
    // The limit of AWS for a policy, without blanks.
    expect(JSON.stringify(JSON.parse(block?.code ?? '')).length).toBeLessThan(6_144);
    const { Statement }: { Statement: { Action: string[]; Resource: string | string[] }[] } = JSON.parse(block?.code ?? '');
    const services: Record<string, string> = { ApiGatewayV2: 'apigateway' };
    const kinds = Object.values(template.Resources).flatMap(({ Type }) => /^AWS::(\w+)::/.exec(Type)?.[1] ?? []);
    for (const kind of new Set(kinds)) {
      const service = services[kind] ?? kind.toLowerCase();
      const named = Statement.filter(({ Action }) => Action.some((action) => action.startsWith(`${service}:`)));
      expect([
        kind,
        named.some(({ Resource }) => [Resource].flat().some((one) => one.startsWith(`arn:aws:${service}:`))),
      ]).toEqual([kind, true]);
    }
    // Roles give rights: no pattern covers them.
    const onRoles = Statement.flatMap(({ Action }) => Action.filter((action) => action.startsWith('iam:')));
    expect(onRoles.filter((action) => action.includes('*'))).toEqual([]);
    expect(Statement.filter(({ Resource }) => Resource === '*').flatMap(({ Action }) => Action)).not.toContainEqual(
      expect.stringMatching(/^(iam|s3|\w+:\*)/),
    );
  });

  it('a deployment has a gateway with a rate limit and a log', () => {
    expect(of('AWS::ApiGatewayV2::Stage')).toEqual([
      // That of the WebSockets is off, because it would contain tickets.
      expect.objectContaining({
        StageName: 'dev',
        DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
      }),
      expect.objectContaining({
        DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
        RouteSettings: {
          'POST /api/users': { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10 },
          'POST /api/sessions': { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10 },
          'POST /api/codes': { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10 },
        },
        AccessLogSettings: { DestinationArn: expect.anything(), Format: expect.stringContaining('$context.requestId') },
      }),
    ]);
  });

  it('a deployment has a route of its own for each limit, to the function of its path, before the gateway is set up', () => {
    const { HttpApiStage } = template.Resources;
    for (const path of ['/api/users', '/api/sessions', '/api/codes']) {
      const [[id, post] = [], [, any] = []] = ['POST', 'ANY'].map((method) =>
        Object.entries(template.Resources).find(([, { Properties }]) => Properties.RouteKey === `${method} ${path}`),
      );
      expect(post).toEqual({ ...any, Properties: { ...any?.Properties, RouteKey: `POST ${path}` } });
      expect(HttpApiStage?.DependsOn).toContain(id);
    }
  });
});

describe('the bundles of a deployment', () => {
  const { outputs }: Metafile = JSON.parse(readFileSync(join(directory, 'packages', 'metafile.json'), 'utf8'));
  const inputsOf = (file: string) => Object.keys(outputs[file.replace(/\.ts$/, '.mjs')]?.inputs ?? {});
  const loads = (module: string, among: { name: string; file: string }[] = withPath) =>
    among.flatMap(({ name, file }) => (inputsOf(file).some((input) => input.includes(module)) ? [name] : []));

  it('the bundles of a deployment have password hashing, and the list of common passwords, only where they are needed', () => {
    expect(loads('node_modules/bcryptjs/')).toEqual([
      'users',
      'user',
      'password',
      'setup',
      'sessions',
      'session',
      'second-factor',
      'passkeys',
      'passkey',
      'oidc',
      'oauth',
      'tokens',
    ]);
    expect(loads('lib/credentials/common-passwords.ts')).toEqual(['users', 'user', 'password', 'setup']);
    const haveList = packaged.filter(({ bundle }) => readFileSync(bundle, 'utf8').includes('"password1"'));
    expect(haveList.map(({ name }) => name).sort()).toEqual(['password', 'setup', 'user', 'users']);
  });

  it('the bundles of a deployment have the modules of a right only in the functions with the right', () => {
    expect(loads('lib/settings/secret-keys.ts', functions)).toEqual(functionsThatMay('secret-key'));
    expect(loads('node_modules/openid-client/', functions)).toEqual(functionsThatMay('identity-providers'));
    expect(loads('lib/settings/oidc-secret.ts', functions)).toEqual(functionsThatMay('identity-providers'));
    expect(loads('node_modules/nodemailer/', functions)).toEqual(functionsThatMay('mail'));
    expect(loads('driver:mongodb', functions).sort()).toEqual(functionsThatMay('database').sort());
    expect(loads('node_modules/@simplewebauthn/')).toEqual(['passkeys', 'passkey-sessions']);
    // They sign addresses of files, or read stored files. No other function may do that.
    expect(functionsThatMay('put-files')).toEqual(['files']);
    expect(functionsThatMay('get-files')).toEqual(['messages', 'file-content', 'mcp']);
    expect(loads('lib/messages/attachments/uploads.ts')).toEqual(['files', 'file', 'file-content']);
    // Webhooks and commands send no files.
    expect(loads('lib/messages/attachments/arrivals.ts')).toEqual([
      'room-commands',
      'webhook',
      'messages',
      'file-content',
      'mcp',
      'bot-webhook',
    ]);
    const remove = ['lib/rooms/deletion.ts', 'lib/messages/edit.ts', 'lib/accounts/deletion.ts'].flatMap((module) =>
      loads(module),
    );
    expect(functionsThatMay('delete-files').sort()).toEqual([...remove, 'file', 'sweep'].sort());
  });

  it('the bundles of a deployment have no module that another replaces, and no package that only servers need', () => {
    const all = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
    expect(all.filter((input) => input.includes('node_modules/mongodb/')).length).toBeGreaterThan(100);
    for (const replaced of ['whatwg-url', 'tr46', '@aws-sdk', '@zxcvbn-ts', 'ws', 'embedded-mongodb', 'undici'])
      expect(all.filter((input) => input.includes(`node_modules/${replaced}/`))).toEqual([]);
    // Each file is in its archive once: that of the driver in all that use it.
    expect(all.filter((input) => /^driver:/.test(input)).length).toBeGreaterThan(0);
    expect(outputs[driverPath]).toBeDefined();
  });
});

it('a deployment names the services of AWS in the domain of the partition, and in no other', () => {
  for (const properties of deployed) {
    const { AWS_ENDPOINT_URL_SSM: ssm, AWS_ENDPOINT_URL_LAMBDA: lambda } = properties.Environment.Variables;
    const address = (service: string) => ({ 'Fn::Sub': `https://${service}.\${AWS::Region}.\${AWS::URLSuffix}` });
    expect(ssm).toEqual(usesDatabase(properties) || hasRequests(properties) ? address('ssm') : undefined);
    expect(lambda).toEqual(may('notices')(properties) ? address('lambda') : undefined);
    expect(properties.Environment.Variables.AWS_ENDPOINT_URL_SQS).toEqual(may('queue')(properties) ? address('sqs') : undefined);
  }
  const fixed = JSON.stringify(template).match(/[\w.-]*amazonaws\.com/g) ?? [];
  // Principals have the same names in all partitions.
  expect([...new Set(fixed)].sort()).toEqual(['apigateway.amazonaws.com', 'events.amazonaws.com', 'lambda.amazonaws.com']);
  for (const { bundle } of packaged) expect(readFileSync(bundle, 'utf8')).not.toMatch(/https:\/\/[^"'`]*amazonaws\.com/);
});

describe('the WebSockets of a deployment', () => {
  const names = (is: (properties: Properties) => boolean) => deployed.filter(is).map(nameOf);
  const address = { 'Fn::Sub': `wss://\${WebsocketsApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/dev` };

  it('the WebSockets of a deployment are three routes to one function, whose answers go to the client', () => {
    const routes = of('AWS::ApiGatewayV2::Route').filter(({ ApiId }) => (ApiId as { Ref: string }).Ref === 'WebsocketsApi');
    expect(routes.map(({ RouteKey }) => RouteKey).sort()).toEqual(['$connect', '$default', '$disconnect']);
    expect(of('AWS::ApiGatewayV2::RouteResponse')).toHaveLength(1);
    expect(functionsThatMay('sockets').sort()).toEqual(['push', 'socket']);
  });

  it('the WebSockets of a deployment have the address that tickets name, and that pages may connect to', () => {
    for (const { Environment } of deployed) expect(Environment.Variables.SOCKET_URL).toEqual(address);
  });

  it('the WebSockets of a deployment are served by a push function that is invoked once, soon or never', () => {
    expect(of('AWS::Lambda::EventInvokeConfig')).toContainEqual(
      expect.objectContaining({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 }),
    );
    for (const properties of deployed) {
      const { PUSH_FUNCTION, WEBHOOKS_QUEUE, DEVICES_QUEUE } = properties.Environment.Variables;
      expect(PUSH_FUNCTION).toBe(may('notices')(properties) ? 'chat-service-dev-push' : undefined);
      const queues = may('queue')(properties) ? [{ Ref: 'WebhooksQueue' }, { Ref: 'DevicesQueue' }] : [undefined, undefined];
      expect([WEBHOOKS_QUEUE, DEVICES_QUEUE]).toEqual(queues);
    }
    expect(names(({ MemorySize }) => MemorySize === 1_769)).toEqual(['push']);
  });
});

describe('the settings of a deployment', () => {
  // A project of its own, in which the file of a stage can be written. Its functions are empty:
  // only its template is read.
  const project = join(directory, 'of-stage');
  const definition = readFileSync('serverless.yml', 'utf8');
  const deploy = async (file: string | undefined, command = 'package', written = definition) => {
    await writeFile(join(project, 'serverless.yml'), written);
    await rm(join(project, '.env.prod'), { force: true });
    if (file !== undefined) await writeFile(join(project, '.env.prod'), file);
    const script = `cd '${project}' && exec serverless ${command} --stage prod --package '${directory}/prod'`;
    // Packaging leaves a directory for each function among the temporary files.
    const own = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, HOME: directory, TMPDIR: directory };
    const ofTests = { SMTP_URL: undefined, FILES: undefined, SECRET_KEY: undefined };
    const limits = { BCRYPT_COST: undefined, RATE_LIMITS: undefined, LOG_LEVEL: undefined, MONGODB_POOL_SIZE: undefined };
    return runCommand(['sh', '-c', script], { environment: { ...own, ...ofTests, ...limits } });
  };

  const certificate = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000';
  const key = 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000';
  const settings = [
    'REGISTRATION=closed',
    'CONNECTION_LIMIT=1500',
    'ALARM_EMAIL=ops@example.org',
    'CONCURRENCY_ROOMS=9',
    'DOMAIN_NAME=chat.example.org',
    'SOCKET_DOMAIN_NAME=socket.example.org',
    `CERTIFICATE_ARN=${certificate}`,
    'VPC_SUBNETS=subnet-0a1b2c3d,subnet-4e5f6a7b',
    'VPC_SECURITY_GROUPS=sg-0a1b2c3d',
    'RESOURCE_TAGS=project=chat,owner=ops@example.org',
    `LOG_KEY_ARN=${key}`,
    'FILES=s3://chat-files/prod',
    'FILES_REGION=eu-west-1',
  ];
  let Resources: Template['Resources'];
  let Outputs: Template['Outputs'];
  beforeAll(async () => {
    await linkProject(project, []);
    const ended = await deploy(`${settings.join('\n')}\n`);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    const file = join(directory, 'prod', 'cloudformation-template-update-stack.json');
    ({ Resources, Outputs } = JSON.parse(await readFile(file, 'utf8')));
  });
  const all = (type: string) => Object.values(Resources).filter(({ Type }) => Type === type);

  it('the settings of a deployment are read from the file of the stage at each deployment', () => {
    expect(Resources.RoomsLambdaFunction?.Properties).toMatchObject({
      ReservedConcurrentExecutions: 9,
      Environment: { Variables: { REGISTRATION: 'closed' } },
    });
    expect(Resources.AlarmTopic?.Properties).toEqual({ Subscription: [{ Protocol: 'email', Endpoint: 'ops@example.org' }] });
  });

  it('the settings of a deployment set domains for both APIs, and the service uses them as its address', () => {
    const configuration = { CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' };
    expect(all('AWS::ApiGatewayV2::DomainName').map(({ Properties }) => Properties)).toMatchObject([
      { DomainName: 'chat.example.org', DomainNameConfigurations: [configuration] },
      { DomainName: 'socket.example.org', DomainNameConfigurations: [configuration] },
    ]);
    expect(all('AWS::ApiGatewayV2::ApiMapping').map(({ Properties }) => Properties)).toEqual([
      { ApiId: { Ref: 'HttpApi' }, DomainName: { Ref: 'Domain' }, Stage: { Ref: 'HttpApiStage' } },
      { ApiId: { Ref: 'WebsocketsApi' }, DomainName: { Ref: 'SocketDomain' }, Stage: { Ref: 'WebsocketsDeploymentStage' } },
    ]);
    expect(Outputs).toMatchObject({
      DomainTarget: { Value: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] } },
      SocketDomainTarget: { Value: { 'Fn::GetAtt': ['SocketDomain', 'RegionalDomainName'] } },
    });
    const urls = { PUBLIC_URL: 'https://chat.example.org', SOCKET_URL: 'wss://socket.example.org' };
    for (const { Properties } of all('AWS::Lambda::Function')) expect(Properties.Environment.Variables).toMatchObject(urls);
    // Connections are reached where AWS has them.
    expect(Resources.PushLambdaFunction?.Properties.Environment.Variables.SOCKET_ENDPOINT).toEqual({
      'Fn::Sub': `https://\${WebsocketsApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/prod`,
    });
  });

  it('the settings of a deployment have the functions with a database run in a VPC, whose interfaces Lambda may manage, and not their code', () => {
    for (const { Properties } of all('AWS::Lambda::Function')) {
      const isInVpc = functionsThatMay('database').includes(Properties.FunctionName.replace('chat-service-prod-', ''));
      expect(Properties.VpcConfig).toEqual(
        isInVpc ? { SubnetIds: ['subnet-0a1b2c3d', 'subnet-4e5f6a7b'], SecurityGroupIds: ['sg-0a1b2c3d'] } : undefined,
      );
      const role = Resources[Properties.Role['Fn::GetAtt'][0]]?.Properties;
      const statements = role?.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement) as Statement[];
      const ofInterfaces = statements.filter(({ Action }) => Action.includes('ec2:CreateNetworkInterface'));
      const code = { 'Fn::Sub': `${account('lambda')}:function:chat-service-prod-*` };
      const denied = { Effect: 'Deny', Condition: { ArnLike: { 'lambda:SourceFunctionArn': [code] } } };
      expect(ofInterfaces).toMatchObject(isInVpc ? [{ Effect: 'Allow' }, denied] : []);
    }
  });

  it('the settings of a deployment can name a bucket for files, and then the deployment creates none', () => {
    expect(all('AWS::S3::Bucket').map(({ Properties }) => Properties.CorsConfiguration)).toEqual([undefined]);
    const { Role, Environment } = Resources.FilesLambdaFunction?.Properties ?? ({} as Properties);
    expect(Environment.Variables).toMatchObject({
      FILES: 's3://chat-files/prod',
      FILES_ENDPOINT: { 'Fn::Sub': `https://s3.eu-west-1.\${AWS::URLSuffix}` },
    });
    const policies = Resources[Role['Fn::GetAtt'][0]]?.Properties.Policies ?? [];
    const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement) as Statement[];
    expect(statements.filter(({ Action }) => Action.some((one) => one.startsWith('s3:')))).toEqual([
      {
        Effect: 'Allow',
        Action: ['s3:PutObject'],
        Resource: [{ 'Fn::Sub': `arn:\${AWS::Partition}:s3:::chat-files/prod/*` }],
      },
    ]);
  });

  it('the settings of a deployment tag its resources, and encrypt every log with a key', () => {
    const Tags = [
      { Key: 'project', Value: 'chat' },
      { Key: 'owner', Value: 'ops@example.org' },
    ];
    for (const { Properties } of all('AWS::Lambda::Function')) expect(Properties.Tags).toEqual(expect.arrayContaining(Tags));
    for (const { Properties } of all('AWS::ApiGatewayV2::Api')) expect(Properties.Tags).toMatchObject({ project: 'chat' });
    const groups = all('AWS::Logs::LogGroup');
    expect(groups).toHaveLength(2);
    for (const { Properties } of groups) expect(Properties.KmsKeyId).toBe(key);
  });

  // The plugins that bundle and emulate play no part in a refusal, and load slowly.
  // test/hosts/aws/settings.test.ts has the other refusals.
  const withoutBundles = definition.replaceAll(/^ {2}- (\.\/hosts\/aws\/bundler\.ts|serverless-offline)\n/gm, '');

  it.each([
    ['REGISTRATION=maybe', "Set REGISTRATION to one of open, invited, closed, not 'maybe'."],
    ['CONCURRENCY_MESAGES=60', 'Unknown setting CONCURRENCY_MESAGES.'],
    ['VPC_SUBNETS=subnet-0a1b2c3d', 'Set both VPC_SUBNETS and VPC_SECURITY_GROUPS, or neither.'],
  ])('a deployment is refused in one sentence where the server would not start: %s', async (line, sentence) => {
    const { code, stdout, stderr } = await deploy(`${line}\n`, 'package', withoutBundles);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(sentence);
    expect(stdout + stderr).not.toMatch(/^ +at /m);
  });

  it('the settings of a deployment are kept by a deployment from a folder without the file', async () => {
    const { code, stdout, stderr } = await deploy(undefined, 'deploy');
    expect({ code, said: stdout + stderr }).toEqual({
      code: 1,
      said: expect.stringContaining('The file .env.prod is missing. Write the settings of this stage into it'),
    });
  });
});

const parameters: Record<string, string | undefined> = {
  '/chat-service/dev/mongodb-uri': `${process.env.MONGODB_URI}\n`,
  '/chat-service/dev/smtp-url': process.env.SMTP_URL,
  '/chat-service/dev/secret-key': process.env.SECRET_KEY,
  '/chat-service/dev/cloudfront-secret': 'what-only-cloudfront-sends',
};
const busy = { status: 400, body: { __type: 'ThrottlingException', message: 'Rate exceeded' } };
const missing = { status: 400, body: { __type: 'ParameterNotFound' } };

/**
 * In place of SSM: gives these answers, then the parameter, and keeps what it was asked; and of
 * Lambda and API Gateway.
 */
const answers: { status: number; body: object }[] = [];
const asked: { headers: IncomingHttpHeaders; body: { Name: string } }[] = [];
const reached: { target: string; service: string | undefined; body: unknown }[] = [];
const ssm = createServer(async (request, response) => {
  const { url, headers } = request;
  if (url !== '/') {
    const service = /\/eu-central-1\/([\w-]+)\/aws4_request/.exec(headers.authorization ?? '')?.[1];
    reached.push({ target: `${request.method} ${url}`, service, body: JSON.parse((await text(request)) || 'null') });
    response.writeHead(service === 'lambda' ? 202 : 200).end();
    return;
  }
  const question = JSON.parse(await text(request));
  asked.push({ headers: request.headers, body: question });
  const value = parameters[question.Name];
  const { status, body } = answers.shift() ?? (value ? { status: 200, body: { Parameter: { Value: value } } } : missing);
  response.writeHead(status).end(JSON.stringify(body));
}).listen(0, '127.0.0.1');
await once(ssm, 'listening');
const objectStore = await startFakeS3({ accessKeyId: 'id-of-the-role', secretAccessKey: 'key-of-the-role' });
afterAll(objectStore.close);
afterAll(() => ssm.close());
beforeEach(() => void asked.splice(0));

/** Starts the function of a path as Lambda does, and invokes it once. */
async function invoke(method: string, path: string, sent?: SentRequest) {
  const { name, event } = await invocation(method, path, sent);
  return invokeFunction(name, event());
}

async function invokeFunction(name: string, event: object, settings: Record<string, string> = {}) {
  const bundle = packaged.find((one) => one.name === name)?.bundle ?? '';
  const properties = deployed.find(({ FunctionName }) => FunctionName === `chat-service-dev-${name}`);
  const aws = `http://127.0.0.1:${(ssm.address() as AddressInfo).port}`;
  const environment = {
    ...properties?.Environment.Variables,
    AWS_LAMBDA_FUNCTION_NAME: `chat-service-dev-${name}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id-of-the-role',
    AWS_SECRET_ACCESS_KEY: 'key-of-the-role',
    AWS_SESSION_TOKEN: 'session-of-the-role',
    AWS_ENDPOINT_URL_SSM: aws,
    AWS_ENDPOINT_URL_LAMBDA: aws,
    ...(properties && withoutCloudfront(properties)),
    AWS_ENDPOINT_URL_SQS: aws,
    ...(functionsThatMay('queue').includes(name) && { WEBHOOKS_QUEUE: 'webhooks', DEVICES_QUEUE: 'devices' }),
    SOCKET_ENDPOINT: functionsThatMay('sockets').includes(name) ? `${aws}/dev` : undefined,
    SOCKET_URL: undefined,
    FILES: 's3://files',
    FILES_ENDPOINT: objectStore.endpoint,
    MONGODB_DATABASE: process.env.MONGODB_DATABASE,
    LOG_LEVEL: 'silent',
    ...settings,
  };
  const script = `const { handler } = await import('${bundle}');
    const { statusCode: status, ...rest } = (await handler(${JSON.stringify(event)}, { awsRequestId: 'one' })) ?? {};
    process.stdout.write('\\n' + JSON.stringify({ status, ...rest }), () => process.exit());`;
  const { code, stdout, stderr } = await runCommand(['node', '--input-type=module', '--eval', script], { environment });
  const end = stdout.lastIndexOf('\n') + 1;
  return { code, stderr, logged: stdout.slice(0, end), answer: stdout && JSON.parse(stdout.slice(end)) };
}

describe('a packaged function', () => {
  it('a packaged function reads the connection string when it starts, by a request that its role has signed', async () => {
    const { answer, stderr } = await invoke('GET', '/api/health');
    expect({ status: answer.status, stderr }).toEqual({ status: 200, stderr: '' });
    expect(asked).toEqual([
      {
        body: { Name: '/chat-service/dev/mongodb-uri', WithDecryption: true },
        headers: expect.objectContaining({
          'x-amz-target': 'AmazonSSM.GetParameter',
          'x-amz-security-token': 'session-of-the-role',
          authorization: expect.stringMatching(
            /^AWS4-HMAC-SHA256 Credential=id-of-the-role\/\d{8}\/eu-central-1\/ssm\/aws4_request, SignedHeaders=[a-z;-]*x-amz-target, Signature=[0-9a-f]{64}$/,
          ),
        }),
      },
    ]);
  });

  it('a packaged function reads the connection string again while SSM is busy', async () => {
    answers.push(busy, busy);
    expect((await invoke('GET', '/api/health')).answer.status).toBe(200);
    expect(asked).toHaveLength(3);
  });

  it('a packaged function fails to start without the connection string, logs the reason, and reads it again the next time', async () => {
    answers.push(missing);
    const { code, answer, stderr } = await invoke('GET', '/api/health');
    expect({ code, answer, asked: asked.length }).toEqual({ code: 1, answer: '', asked: 1 });
    expect(stderr).toContain('The SSM parameter /chat-service/dev/mongodb-uri could not be read: ParameterNotFound');
    expect((await invoke('GET', '/api/health')).answer.status).toBe(200);
  });

  it('a packaged function without a database requests no secret', async () => {
    expect((await invoke('GET', '/docs')).answer.status).toBe(200);
    expect((await invoke('GET', '/nothing')).answer.status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('a packaged function behind CloudFront answers only what comes through it, and takes the address of its viewer', async () => {
    const settings = {
      CLOUDFRONT_SECRET: 'ssm:/chat-service/dev/cloudfront-secret',
      SECRETS: 'MONGODB_URI,CLOUDFRONT_SECRET',
      LOG_LEVEL: 'info',
    };
    const ask = async (headers: Record<string, string>) => {
      const { event } = await invocation('GET', '/api/health', { headers, source: '130.176.0.1' });
      return invokeFunction('health', event(), settings);
    };
    const around = await ask({ 'cloudfront-viewer-address': '198.51.100.10:46532' });
    expect({ status: around.answer.status, ...JSON.parse(around.answer.body) }).toMatchObject({
      status: 403,
      code: 'not_through_cloudfront',
    });
    expect(around.logged).toContain('"source":"130.176.0.1"');
    const secret = { 'x-origin-verify': 'what-only-cloudfront-sends' };
    const through = await ask({ ...secret, 'cloudfront-viewer-address': '198.51.100.10:46532' });
    expect({ status: through.answer.status, logged: through.logged }).toEqual({
      status: 200,
      logged: expect.stringContaining('"source":"198.51.100.10"'),
    });
    expect((await ask(secret)).answer.status).toBe(500);
  });

  it('a packaged function authenticates to Atlas by its role if the connection string lacks a password', async () => {
    const cluster = await startCluster();
    const name = '/chat-service/dev/mongodb-uri';
    const { [name]: right } = parameters;
    parameters[name] =
      `mongodb://127.0.0.1:${cluster.port}/?authSource=%24external&authMechanism=MONGODB-AWS&directConnection=true`;
    await invoke('GET', '/api/health');
    parameters[name] = right;
    cluster.close();
    const credential = /^AWS4-HMAC-SHA256 Credential=id-of-the-role\/\d{8}\/eu-central-1\/sts\/aws4_request/;
    expect(cluster.shown[0]).toEqual({
      a: expect.stringMatching(credential),
      d: expect.any(String),
      t: 'session-of-the-role',
    });
  });

  it('a packaged function sends e-mails through the mail server of its parameter', async () => {
    const email = `${aName()}@example.org`;
    const { answer } = await invoke('POST', '/api/codes', { body: { email, purpose: 'password' } });
    expect({ status: answer.status, mails: mailsTo(email).length }).toEqual({ status: 204, mails: 1 });
    expect(asked.map(({ body: { Name } }) => Name).sort()).toEqual([
      '/chat-service/dev/mongodb-uri',
      '/chat-service/dev/smtp-url',
    ]);
  });

  it.each([
    ['is not the address of a mail server', 'chat:s3cret@mail.example.org'],
    ['could not be read: ParameterNotFound', undefined],
  ])(
    'a packaged function answers that an e-mail could not be sent, and logs the reason without revealing the secret: its parameter %s',
    async (reason, value) => {
      const name = '/chat-service/dev/smtp-url';
      const { [name]: right } = parameters;
      parameters[name] = value;
      const { event } = await invocation('POST', '/api/codes', { body: { email: 'a@example.org', purpose: 'password' } });
      const { answer, logged, stderr } = await invokeFunction('codes', event(), { LOG_LEVEL: 'error' });
      parameters[name] = right;
      expect({ status: answer.status, ...JSON.parse(answer.body) }).toMatchObject({
        status: 503,
        description: 'The e-mail could not be sent.',
      });
      expect(`${logged}${stderr}`.split(`The SSM parameter ${name} ${reason}`)).toHaveLength(2 + 1);
      expect(`${logged}${stderr}`).not.toContain('s3cret');
    },
  );

  it('a packaged function tells devices while the parameter of the mail server can not be read', async () => {
    const name = '/chat-service/dev/smtp-url';
    const { [name]: right } = parameters;
    parameters[name] = undefined;
    const schedule = await invokeFunction('notify', { source: 'aws.events', time: '2026-01-01T00:10:00Z' });
    parameters[name] = right;
    expect(schedule).toMatchObject({ code: 0, stderr: '' });
  });

  it('a packaged function encrypts the secret of a second factor by the key of its parameter', async () => {
    const { token, password } = await anAccount();
    const { answer } = await invoke('POST', '/api/second-factor', { token, body: { current_password: password } });
    expect(answer.status).toBe(201);
    expect(asked.map(({ body: { Name } }) => Name).sort()).toEqual([
      '/chat-service/dev/mongodb-uri',
      '/chat-service/dev/secret-key',
    ]);
  });

  it.each(revisions)('a packaged function serves the official client of agents in revision %s', async (revision) => {
    const { token } = await anAccount();
    const agent = await anAgent(token, revision, async (method, path, sent) => {
      const { answer } = await invoke(method, path, sent);
      const { status, headers, body, isBase64Encoded } = answer;
      return { status, headers, body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString() };
    });
    expect((await agent.client.listTools()).tools).toHaveLength(16);
    expect(await agent.use('list_rooms')).toMatchObject({ isError: false });
    await expect(agent.use('no_tool')).rejects.toThrow("Unknown tool 'no_tool'");
  });

  it('a packaged function adds a passkey, and signs in with it', async () => {
    const account = await anAccount();
    const { passkey, sent } = make(await beginPasskey(inProcess, account));
    const added = await invoke('PUT', '/api/passkeys', { token: account.token, body: sent });
    expect(added.answer.status).toBe(201);
    const signedIn = await invoke('PUT', '/api/passkey-sessions', { body: sign(passkey, await beginSignIn(inProcess)) });
    expect(signedIn.answer.status).toBe(201);
  });

  it('a packaged function fails to start with an invalid key for second factors, without revealing it', async () => {
    const name = '/chat-service/dev/secret-key';
    const { [name]: right } = parameters;
    parameters[name] = 's3cret';
    const { code, stderr } = await invoke('POST', '/api/sessions', { body: { username: aName(), password: 'x' } });
    parameters[name] = right;
    expect(code).toBe(1);
    expect(stderr).toContain(`The SSM parameter ${name} is not a key of 32 bytes`);
    expect(stderr).not.toContain('s3cret');
  });

  it('a packaged function reports that e-mails are enabled even where it may not read the mail server', async () => {
    const { answer } = await invoke('GET', '/api/health');
    expect(JSON.parse(answer.body)).toMatchObject({ sends_email: true });
    expect(asked).toHaveLength(1);
  });

  it('a packaged function notifies connected clients by requests that its role has signed', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const caller = await findCaller(ann.token);
    const connection = `${randomBytes(8).toString('base64url')}=`;
    await addConnection(connection, caller as NonNullable<typeof caller>);
    await greetConnection(connection, false);

    const sent = await invoke('POST', '/api/messages', { token: bob.token, body: { room, text: 'Hello' } });
    const notices = [{ type: 'moved', room, seq: 1 }];
    expect({ status: sent.answer.status, stderr: sent.stderr }).toEqual({ status: 201, stderr: '' });
    const target = 'POST /2015-03-31/functions/chat-service-dev-push/invocations';
    expect(reached.splice(0)).toEqual([{ target, service: 'lambda', body: { notices } }]);

    const pushed = await invokeFunction('push', { notices });
    expect({ answer: pushed.answer, stderr: pushed.stderr }).toEqual({ answer: { sent: 1, gone: 0, dropped: 0 }, stderr: '' });
    const frame = { type: 'room', room: { $oid: room }, seq: 1, epoch: expect.stringMatching(/^[0-9a-f]{15}$/) };
    const path = `POST /dev/@connections/${encodeURIComponent(connection)}`;
    expect(reached.splice(0)).toEqual([{ target: path, service: 'execute-api', body: frame }]);

    const requestContext = { eventType: 'MESSAGE', routeKey: '$default', connectionId: connection };
    const { answer } = await invokeFunction('socket', { requestContext, body: '{"type":"ping","id":1}' });
    expect({ ...answer, body: JSON.parse(answer.body) }).toMatchObject({ status: 200, body: { type: 'pong', id: 1 } });
    await removeConnection(connection);
  });

  it('a packaged function sends and reads a file with addresses that its role has signed, and sweeps what nobody sends', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const { token } = ann;
    const body = announced(room);
    const announce = async () => JSON.parse((await invoke('POST', '/api/files', { token, body })).answer.body);
    const { _id, upload } = await announce();
    expect(new URL(upload.url).searchParams.get('X-Amz-Security-Token')).toBe('session-of-the-role');
    expect((await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: 'Hello' })).status).toBe(200);
    const sent = await invoke('POST', '/api/messages', { token, body: { room, files: [_id.$oid] } });
    expect(sent.answer.status).toBe(201);
    reached.splice(0);
    const { answer } = await invoke('GET', `/api/files/${_id.$oid}/content`, { token });
    expect(await (await fetch(answer.headers.Location)).text()).toBe('Hello');
    const swept = await invokeFunction('sweep', { source: 'aws.events' });
    expect(swept).toMatchObject({ answer: { removed: 0, orphans: 0 }, stderr: '' });
  });

  it('a packaged function hashes passwords, and refuses common ones', async () => {
    const username = aName();
    const account = { username, email: `${username}@example.org` };
    const signUp = (password: string) => invoke('POST', '/api/users', { body: { ...account, password } });
    expect((await signUp('password1')).answer.status).toBe(400);
    expect((await signUp('a horse, a battery')).answer.status).toBe(201);
  });
});

/** The variables of a function that is not behind CloudFront. */
const withoutCloudfront = ({ Environment }: Properties) => {
  const secrets = String(Environment.Variables.SECRETS).split(',');
  return {
    CLOUDFRONT_SECRET: undefined,
    SECRETS: secrets.filter((name) => !['CLOUDFRONT_SECRET', 'OIDC_PROVIDERS', 'OIDC_CLIENT_SECRET'].includes(name)).join(),
  };
};

const allow = (Action: string[], resource: string) => ({ Effect: 'Allow', Action, Resource: [{ 'Fn::Sub': resource }] });

type Properties = Record<string, unknown> & {
  FunctionName: string;
  Role: { 'Fn::GetAtt': [string, string] };
  Environment: { Variables: Record<string, unknown> };
  Policies: { PolicyDocument: { Statement: unknown[] } }[];
};
type Template = {
  Resources: Record<string, { Type: string; Properties: Properties; DependsOn?: string | string[] }>;
  Outputs: Record<string, unknown>;
};
type Statement = { Effect: string; Action: string[] };

const reading = (name: string) => {
  const parameter = { 'Fn::Sub': `${account('ssm')}:parameter/chat-service/dev/${name}` };
  const conditions = {
    'kms:ViaService': { 'Fn::Sub': `ssm.\${AWS::Region}.\${AWS::URLSuffix}` },
    'kms:EncryptionContext:PARAMETER_ARN': parameter,
  };
  return [
    { Effect: 'Allow', Action: ['ssm:GetParameter'], Resource: [parameter] },
    {
      Effect: 'Allow',
      Action: ['kms:Decrypt'],
      Resource: [{ 'Fn::Sub': `${account('kms')}:key/*` }],
      Condition: { StringEquals: conditions },
    },
  ];
};

const account = (service: string) => `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}`;
