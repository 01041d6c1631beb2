import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { bucketPattern, isParameter } from '../../lib/settings/setting-rules.ts';
import { settings, unknownSetting } from '../../lib/settings/settings.ts';
import { alarmsOf, alarmTopic, apiAlarms } from './alarms.ts';
import { readDeploymentSettings, type WrittenSettings } from './deployment-settings.ts';
import {
  concurrencyFor,
  domainOf,
  type FileBucket,
  fileBucket,
  mostInstances,
  serviceAddress,
  socketAddress,
  throttledRoutes,
  throttling,
} from './resources.ts';
import { type DeployedFunction, roleOf } from './roles.ts';
import { type SecretSetting, secretsOf, type WrittenSecrets } from './secrets.ts';

type Definition = {
  name: string;
  events: { httpApi: string }[];
  role?: string;
  reservedConcurrency?: number;
  environment?: Record<string, unknown>;
  vpc?: { subnetIds: string[]; securityGroupIds: string[] };
};
type Serverless = {
  serviceDir: string;
  processedInput: { commands: string[] };
  classes: { Error: new (message: string, code: string) => Error };
  service: {
    service: string;
    functions: Record<string, Definition>;
    custom: {
      deployment: WrittenSettings &
        WrittenSecrets & {
          withoutNotices: string[];
          withFiles: Record<string, string[]>;
          connectionLimit: string;
          alarmEmail: string;
        };
    };
    provider: {
      tracing: { lambda: string };
      environment: Record<string, unknown> &
        Record<'MONGODB_POOL_SIZE' | SecretSetting | 'PUBLIC_URL' | 'CORS_ORIGINS' | 'FILES_REGION', string> & {
          FILES: unknown;
          FILES_ENDPOINT: unknown;
        };
      tags?: Record<string, string>;
      stackTags?: Record<string, string>;
    };
    resources: {
      Resources?: Record<string, unknown>;
      Outputs?: Record<string, unknown>;
      extensions: Record<string, { Properties: Record<string, unknown> }> & {
        HttpApiStage: { Properties: Record<string, unknown>; DependsOn?: string[] };
      };
    };
  };
  getProvider: (name: 'aws') => {
    getStage: () => string;
    naming: Record<'getNormalizedFunctionName' | 'getHttpApiRouteLogicalId' | 'getLogGroupLogicalId', (name: string) => string>;
  };
};

/**
 * A serverless plugin: checks the settings as the server does, which would otherwise end each function when it starts; gives each function
 * its own role, the name of the connection string, its share of the connections, and alarms; and the routes that cost most a limit of their
 * own.
 */
export default class DeploymentPlugin {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor(serverless: Serverless) {
    const inOneSentence = (work: () => void | Promise<void>) => async () => {
      try {
        await work();
      } catch (error) {
        // Of its own errors, serverless prints the sentence without a stack.
        throw new serverless.classes.Error((error as Error).message, 'DEPLOYMENT');
      }
    };
    this.hooks = {
      initialize: inOneSentence(() => requireSettings(serverless)),
      'before:package:initialize': inOneSentence(async () => {
        useDomains(serverless);
        await checkSettings(serverless);
        addResources(serverless);
        tagAndEncrypt(serverless);
        throttleRoutes(serverless);
      }),
    };
  }
}

const settingsFile = (serverless: Serverless) => {
  const name = `.env.${serverless.getProvider('aws').getStage()}`;
  const path = join(serverless.serviceDir, name);
  return { name, path, isThere: existsSync(path) };
};

/** The settings of a stage are those of its file, so that no deployment forgets what an earlier one was told. */
function requireSettings(serverless: Serverless): void {
  const { name, isThere } = settingsFile(serverless);
  if (serverless.processedInput.commands.join(' ') === 'deploy' && !isThere)
    throw new Error(`There is no file ${name}: write the settings of this stage into it, or nothing if the defaults are right.`);
}

async function checkSettings(serverless: Serverless): Promise<void> {
  const { service } = serverless;
  const file = settingsFile(serverless);
  const concurrency = Object.keys(service.functions).map(concurrencyOf);
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
    throw new Error('Leave FILES out, or set it to a bucket such as s3://chat-files: functions have no directory that lasts.');
  if (FILES_ENDPOINT)
    throw new Error('Leave FILES_ENDPOINT out: the keys of functions are those of their roles, which only S3 knows.');
  // Loaded only here: under serverless-offline the functions share this process, and it reads their settings too early.
  const { readConfig } = await import('../../lib/settings/config.ts');
  readConfig(service.provider.environment as Record<string, string>);
  const { alarmEmail } = service.custom.deployment;
  if (alarmEmail && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(alarmEmail))
    throw new Error(`Set ALARM_EMAIL to an e-mail address, not '${alarmEmail}'.`);
}

const secretsIn = ({ functions, provider, custom }: Serverless['service']) =>
  secretsOf(Object.keys(functions), provider.environment, custom.deployment);

/** Domains of the deployment's own, and the addresses that the service gives of itself then. */
function useDomains({ service }: Serverless): void {
  const { domain, socketDomain, tags } = readDeploymentSettings(service.custom.deployment);
  const { environment } = service.provider;
  if (domain) environment.PUBLIC_URL ||= `https://${domain.name}`;
  if (socketDomain && environment.SOCKET_URL === '/socket') environment.SOCKET_URL = `wss://${socketDomain.name}`;
  for (const { resources, outputs } of [
    ...(domain ? [domainOf('', domain, tags, 'HttpApi', 'HttpApiStage')] : []),
    ...(socketDomain ? [domainOf('Socket', socketDomain, tags, 'WebsocketsApi', 'WebsocketsDeploymentStage')] : []),
  ]) {
    service.resources.Resources = { ...service.resources.Resources, ...resources };
    service.resources.Outputs = { ...service.resources.Outputs, ...outputs };
  }
}

/** Tags what there is, also what takes over the tags of the stack, and encrypts the logs. */
function tagAndEncrypt(serverless: Serverless): void {
  const { service } = serverless;
  const { naming } = serverless.getProvider('aws');
  const { tags, logKey } = readDeploymentSettings(service.custom.deployment);
  service.provider.tags = { ...service.provider.tags, ...tags };
  service.provider.stackTags = { ...service.provider.stackTags, ...tags };
  if (logKey === undefined) return;
  const groups = ['HttpApiLogGroup', ...Object.keys(service.functions).map((name) => naming.getLogGroupLogicalId(name))];
  for (const group of groups) service.resources.extensions[group] = { Properties: { KmsKeyId: logKey } };
}

/** Where files are kept: in a bucket of the deployment unless the settings name another, or `off`. */
function useFiles({ service }: Serverless): FileBucket | undefined {
  const { environment } = service.provider;
  if (environment.FILES === 'off') return undefined;
  environment.FILES_ENDPOINT = serviceAddress('s3', environment.FILES_REGION || undefined);
  const [, named, path = ''] = bucketPattern.exec(String(environment.FILES)) ?? [];
  if (named !== undefined) return { name: named, prefix: path === '' ? '' : `${path.slice(1)}/` };
  if (environment.FILES_REGION) throw new Error('Set FILES as well: FILES_REGION is for a bucket of your own.');
  environment.FILES = { 'Fn::Sub': `s3://\${FilesBucket}` };
  const listed = environment.CORS_ORIGINS.split(/[\s,]+/);
  const own = [
    { 'Fn::Sub': `https://\${HttpApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}` },
    environment.PUBLIC_URL || [],
  ].flat();
  const origins = listed.includes('*') ? ['*'] : [...listed, ...own];
  service.resources.Resources = { ...service.resources.Resources, ...fileBucket(origins) };
  return { name: `\${FilesBucket}`, prefix: '' };
}

const concurrencyOf = (name: string) => `CONCURRENCY_${name.toUpperCase().replaceAll('-', '_')}`;

function addResources(serverless: Serverless): void {
  const { service } = serverless;
  const { deployment } = service.custom;
  const { environment } = service.provider;
  const { alarmEmail, connectionLimit, withoutDatabase, withoutNotices } = deployment;
  const stage = serverless.getProvider('aws').getStage();
  const secrets = secretsIn(service)
    .filter(({ parameter }) => parameter !== '')
    .map((secret) => ({ ...secret, parameter: secret.parameter.slice('ssm:'.length) }));
  const actions = alarmEmail ? [{ Ref: 'AlarmTopic' }] : [];
  const resources: Record<string, unknown> = { ...apiAlarms(service.service, actions) };
  if (alarmEmail) resources.AlarmTopic = alarmTopic(alarmEmail);

  const limit = wholeNumber('CONNECTION_LIMIT', connectionLimit);
  const names = Object.keys(service.functions).filter((name) => !withoutDatabase.includes(name));
  const share = concurrencyFor(limit, wholeNumber('MONGODB_POOL_SIZE', environment.MONGODB_POOL_SIZE), names);
  if (limit > 0 && share < 1)
    throw new Error(`CONNECTION_LIMIT is too small: ${names.length} functions can't share ${limit} connections.`);

  // Unless WebSockets have a domain of their own.
  if (environment.SOCKET_URL === '/socket') environment.SOCKET_URL = socketAddress('wss', stage);
  const { push, notify } = service.functions;
  const { vpc } = readDeploymentSettings(deployment);
  const bucket = useFiles(serverless);

  for (const [name, definition] of Object.entries(service.functions)) {
    const logicalId = serverless.getProvider('aws').naming.getNormalizedFunctionName(name);
    const usesDatabase = !withoutDatabase.includes(name);
    const own = secrets.filter(({ readers }) => readers.includes(name));
    const deployed: DeployedFunction = {
      name,
      functionName: definition.name,
      logicalId,
      parameters: own.map(({ parameter }) => parameter),
      isTraced: service.provider.tracing.lambda === 'Active',
      invokes: name === 'push' ? notify?.name : [...withoutDatabase, ...withoutNotices].includes(name) ? undefined : push?.name,
      posts: name === 'socket' || name === 'push',
      isInVpc: vpc !== undefined && usesDatabase,
      files: bucket && deployment.withFiles[name] && { bucket, actions: deployment.withFiles[name] },
    };
    resources[`${logicalId}Role`] = roleOf(deployed);
    Object.assign(resources, alarmsOf(deployed, actions));
    definition.role = `${logicalId}Role`;
    if (vpc && usesDatabase) definition.vpc = vpc;
    definition.environment = {
      ...definition.environment,
      ...Object.fromEntries(own.flatMap(({ variable, parameter }) => (variable ? [[variable, parameter]] : []))),
      ...(deployed.parameters.length > 0 && { AWS_ENDPOINT_URL_SSM: serviceAddress('ssm') }),
      ...(deployed.invokes && { PUSH_FUNCTION: deployed.invokes, AWS_ENDPOINT_URL_LAMBDA: serviceAddress('lambda') }),
      ...(deployed.posts && { SOCKET_ENDPOINT: socketAddress('https', stage) }),
      // Nobody reads the versions: a configuration that has changed restarts the functions, which then read the new secret.
      ...Object.fromEntries(own.flatMap(({ setting, version }) => (version ? [[`${setting}_VERSION`, version]] : []))),
    };
    const override = process.env[concurrencyOf(name)];
    if (override) definition.reservedConcurrency = wholeNumber(concurrencyOf(name), override);
    else if (limit > 0 && usesDatabase) definition.reservedConcurrency = Math.min(share, mostInstances[name] ?? share);
  }
  service.resources.Resources = { ...service.resources.Resources, ...resources };
}

function throttleRoutes(serverless: Serverless): void {
  const { functions, resources } = serverless.service;
  const { naming } = serverless.getProvider('aws');
  for (const [name, route] of Object.entries(throttledRoutes)) functions[name]?.events.push({ httpApi: route });
  const { HttpApiStage } = resources.extensions;
  HttpApiStage.Properties.RouteSettings = Object.fromEntries(Object.values(throttledRoutes).map((route) => [route, throttling]));
  // The gateway refuses settings of routes that do not exist yet.
  HttpApiStage.DependsOn = Object.values(throttledRoutes).map(naming.getHttpApiRouteLogicalId.bind(naming));
}

function wholeNumber(setting: string, text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`Set ${setting} to a whole number, not '${text}'.`);
}
