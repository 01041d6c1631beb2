import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { packageAll } from '../../../tools/bench/package.ts';
import { functions, serverless } from '../../../tools/harness/functions.ts';
import { invocation, type Sent } from '../../../tools/harness/transports.ts';
import { aName } from '../../support/accounts.ts';
import { mailsTo } from '../../support/mail.ts';
import { runCommand } from '../../support/run-command.ts';

const directory = await mkdtemp(join(tmpdir(), 'chat-package-'));
afterAll(() => rm(directory, { recursive: true }));

const packaged = await packageAll(directory, {
  CONNECTION_LIMIT: '1500',
  MONGODB_URI_VERSION: '2',
  CONCURRENCY_ROOMS: '7',
  ALARM_EMAIL: 'ops@example.org',
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
const { withoutDatabase } = serverless.custom.deployment;
const usesDatabase = ({ FunctionName }: Properties) => !withoutDatabase.includes(FunctionName.replace('chat-service-dev-', ''));

describe('a deployment', () => {
  it('has one function for each of serverless.yml, packaged without credentials', () => {
    expect(packaged.map(({ name }) => name).sort()).toEqual(functions.map(({ name }) => name).sort());
    expect(deployed).toHaveLength(functions.length);
  });

  it('lets each function run as often as its share of the connections allows', async () => {
    // Four fifths of the connections, 6 per process (a pool of 5, and one for monitoring), shared by all functions.
    const share = Math.floor((0.8 * 1_500) / 6 / (functions.length - withoutDatabase.length));
    for (const { FunctionName, ...properties } of deployed.filter(usesDatabase)) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Timeout: 20,
        TracingConfig: { Mode: 'PassThrough' },
        ReservedConcurrentExecutions: FunctionName === 'chat-service-dev-rooms' ? 7 : share,
      });
    }
    const count = functions.length - withoutDatabase.length;
    const page = await readFile('docs/deploying.md', 'utf8');
    expect(page).toContain(`pools of 5 and ${count} such functions, each may run ${share} times concurrently`);
    // Those that open none take no share.
    for (const properties of deployed.filter((one) => !usesDatabase(one)))
      expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('names the connection string to the functions with a database, and contains it nowhere', () => {
    for (const properties of deployed) {
      const { MONGODB_URI, MONGODB_URI_PARAMETER } = properties.Environment.Variables;
      expect({ MONGODB_URI, MONGODB_URI_PARAMETER }).toEqual({
        MONGODB_URI: undefined,
        MONGODB_URI_PARAMETER: usesDatabase(properties) ? '/chat-service/dev/mongodb-uri' : undefined,
      });
    }
    expect(JSON.stringify(template)).not.toMatch(/resolve:|mongodb(\+srv)?:/);
  });

  it('has the version of the connection string in the configuration of these functions, so that another one restarts them', () => {
    for (const properties of deployed)
      expect(properties.Environment.Variables.MONGODB_URI_VERSION).toBe(usesDatabase(properties) ? '2' : undefined);
  });

  it('gives each function a role of its own, for its log and, with a database, the connection string', () => {
    const parameter = { 'Fn::Sub': `${account('ssm')}:parameter/chat-service/dev/mongodb-uri` };
    const reading = [
      { Effect: 'Allow', Action: ['ssm:GetParameter'], Resource: [parameter] },
      {
        Effect: 'Allow',
        Action: ['kms:Decrypt'],
        Resource: [{ 'Fn::Sub': `${account('kms')}:key/*` }],
        Condition: {
          StringEquals: {
            'kms:ViaService': { 'Fn::Sub': `ssm.\${AWS::Region}.\${AWS::URLSuffix}` },
            'kms:EncryptionContext:PARAMETER_ARN': parameter,
          },
        },
      },
    ];
    for (const properties of deployed) {
      const role = template.Resources[properties.Role['Fn::GetAtt'][0]]?.Properties;
      const log = `${account('logs')}:log-group:/aws/lambda/${properties.FunctionName}:*`;
      const logging = {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: [{ 'Fn::Sub': log }],
      };
      expect(role?.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)).toEqual(
        usesDatabase(properties) ? [logging, ...reading] : [logging],
      );
      expect(role?.ManagedPolicyArns).toBeUndefined();
    }
    expect(of('AWS::IAM::Role')).toHaveLength(functions.length);
  });

  it('has alarms, and keeps its logs for 30 days', () => {
    const alarms = of('AWS::CloudWatch::Alarm').map(({ MetricName }) => MetricName);
    expect(alarms.sort()).toEqual(['5xx', 'Latency', ...functions.map(() => 'Throttles')]);
    for (const { AlarmActions } of of('AWS::CloudWatch::Alarm')) expect(AlarmActions).toEqual([{ Ref: 'AlarmTopic' }]);
    expect(of('AWS::SNS::Topic')).toEqual([{ Subscription: [{ Protocol: 'email', Endpoint: 'ops@example.org' }] }]);
    for (const properties of of('AWS::Logs::LogGroup')) expect(properties).toMatchObject({ RetentionInDays: 30 });
  });

  it('has a gateway with a rate limit and a log', () => {
    expect(of('AWS::ApiGatewayV2::Stage')).toEqual([
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

  it('has a route of its own for each limit, to the function of its path, before the gateway is set up', () => {
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

describe('the settings of a deployment', () => {
  // A project of its own, in which the file of a stage can be written.
  const project = join(directory, 'project');
  const deploy = async (file: string | undefined, command = 'package', environment: Record<string, string> = {}) => {
    await mkdir(project, { recursive: true });
    for (const name of ['admin', 'docs', 'functions', 'hosts', 'lib', 'node_modules', 'packages', 'package.json'])
      await symlink(resolve(name), join(project, name)).catch(() => {});
    // A link would not be found.
    await cp('serverless.yml', join(project, 'serverless.yml'));
    await rm(join(project, '.env.prod'), { force: true });
    if (file !== undefined) await writeFile(join(project, '.env.prod'), file);
    const script = `cd '${project}' && exec npx serverless ${command} --stage prod --package '${directory}/prod'`;
    // What is packaged leaves a directory for each function where temporary files go.
    const own = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, HOME: directory, TMPDIR: directory };
    const limits = { BCRYPT_COST: undefined, RATE_LIMITS: undefined, LOG_LEVEL: undefined, MONGODB_POOL_SIZE: undefined };
    return runCommand(['sh', '-c', script], { environment: { ...own, ...limits, ...environment } });
  };

  it('are those of the file of the stage, each time', async () => {
    const ended = await deploy('REGISTRATION=closed\nCONNECTION_LIMIT=1500\nALARM_EMAIL=ops@example.org\nCONCURRENCY_ROOMS=9\n');
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    const file = join(directory, 'prod', 'cloudformation-template-update-stack.json');
    const { Resources }: Template = JSON.parse(await readFile(file, 'utf8'));
    expect(Resources.RoomsLambdaFunction?.Properties).toMatchObject({
      ReservedConcurrentExecutions: 9,
      Environment: { Variables: { REGISTRATION: 'closed' } },
    });
    expect(Resources.AlarmTopic?.Properties).toEqual({ Subscription: [{ Protocol: 'email', Endpoint: 'ops@example.org' }] });
  });

  it.each([
    ['REGISTRATION=maybe', "Set REGISTRATION to one of open, invited, closed, not 'maybe'."],
    ['CONCURRENCY_MESAGES=60', 'CONCURRENCY_MESAGES is no setting'],
    ['ALARM_EMAIL=nonsense', "Set ALARM_EMAIL to an e-mail address, not 'nonsense'."],
  ])('are refused in one sentence where the server would not start: %s', async (line, sentence) => {
    const { code, stdout, stderr } = await deploy(`${line}\n`);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(sentence);
    expect(stdout + stderr).not.toMatch(/^ +at /m);
  });

  it('are not forgotten by a deployment from a place without the file', async () => {
    const { code, stdout, stderr } = await deploy(undefined, 'deploy');
    expect({ code, said: stdout + stderr }).toEqual({
      code: 1,
      said: expect.stringContaining('There is no file .env.prod: write the settings of this stage into it'),
    });
  });
});

const parameter = { status: 200, body: { Parameter: { Value: `${process.env.MONGODB_URI}\n` } } };
const busy = { status: 400, body: { __type: 'ThrottlingException', message: 'Rate exceeded' } };
const missing = { status: 400, body: { __type: 'ParameterNotFound' } };

/** In place of SSM: gives these answers, then the parameter, and keeps what it was asked. */
const answers: { status: number; body: object }[] = [];
const asked: { headers: IncomingHttpHeaders; body: unknown }[] = [];
const ssm = createServer(async (request, response) => {
  asked.push({ headers: request.headers, body: JSON.parse(await text(request)) });
  const { status, body } = answers.shift() ?? parameter;
  response.writeHead(status).end(JSON.stringify(body));
}).listen(0, '127.0.0.1');
await once(ssm, 'listening');
afterAll(() => ssm.close());
beforeEach(() => void asked.splice(0));

/** Starts the function of a path as Lambda does, and invokes it once. */
async function invoke(method: string, path: string, sent?: Sent) {
  const { name, event } = await invocation(method, path, sent);
  const bundle = packaged.find((one) => one.name === name)?.bundle ?? '';
  const properties = deployed.find(({ FunctionName }) => FunctionName === `chat-service-dev-${name}`);
  const environment = {
    ...properties?.Environment.Variables,
    AWS_LAMBDA_FUNCTION_NAME: `chat-service-dev-${name}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id-of-the-role',
    AWS_SECRET_ACCESS_KEY: 'key-of-the-role',
    AWS_SESSION_TOKEN: 'session-of-the-role',
    AWS_ENDPOINT_URL_SSM: `http://127.0.0.1:${(ssm.address() as AddressInfo).port}`,
    MONGODB_URI: undefined,
    MONGODB_DATABASE: process.env.MONGODB_DATABASE,
    LOG_LEVEL: 'silent',
  };
  const script = `const { handler } = await import('${bundle}');
    const { statusCode, body } = await handler(${JSON.stringify(event())}, { awsRequestId: 'one' });
    process.stdout.write(JSON.stringify({ status: statusCode, body }), () => process.exit());`;
  const { code, stdout, stderr } = await runCommand(['node', '--input-type=module', '--eval', script], { environment });
  return { code, stderr, answer: stdout && JSON.parse(stdout) };
}

describe('a packaged function', () => {
  it('reads the connection string when it starts, by a request that its role has signed', async () => {
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

  it('reads it again while SSM is busy', async () => {
    answers.push(busy, busy);
    expect((await invoke('GET', '/api/health')).answer.status).toBe(200);
    expect(asked).toHaveLength(3);
  });

  it('fails to start without it, with the reason in the log, and reads it anew the next time', async () => {
    answers.push(missing);
    const { code, answer, stderr } = await invoke('GET', '/api/health');
    expect({ code, answer, asked: asked.length }).toEqual({ code: 1, answer: '', asked: 1 });
    expect(stderr).toContain('The SSM parameter /chat-service/dev/mongodb-uri could not be read: ParameterNotFound');
    expect((await invoke('GET', '/api/health')).answer.status).toBe(200);
  });

  it('without a database asks for nothing', async () => {
    expect((await invoke('GET', '/docs')).answer.status).toBe(200);
    expect((await invoke('GET', '/nothing')).answer.status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('sends e-mails', async () => {
    const email = `${aName()}@example.org`;
    const { answer } = await invoke('POST', '/api/codes', { body: { email, purpose: 'password' } });
    expect({ status: answer.status, mails: mailsTo(email).length }).toEqual({ status: 204, mails: 1 });
  });

  it('hashes passwords, and refuses common ones', async () => {
    const username = aName();
    const account = { username, email: `${username}@example.org` };
    const signUp = (password: string) => invoke('POST', '/api/users', { body: { ...account, password } });
    expect((await signUp('password1')).answer.status).toBe(400);
    expect((await signUp('a horse, a battery')).answer.status).toBe(201);
  });
});

type Properties = Record<string, unknown> & {
  FunctionName: string;
  Role: { 'Fn::GetAtt': [string, string] };
  Environment: { Variables: Record<string, string> };
  Policies: { PolicyDocument: { Statement: unknown[] } }[];
};
type Template = { Resources: Record<string, { Type: string; Properties: Properties; DependsOn?: string | string[] }> };

const account = (service: string) => `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}`;
