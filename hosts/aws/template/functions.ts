import { bucketPattern } from '../../../lib/settings/setting-rules.ts';
import { concurrencySetting, heldBack, planConcurrency } from './concurrency.ts';
import { readDeploymentSettings } from './deployment-settings.ts';
import { queueResources, queues } from './queues.ts';
import { type FileBucket, fileBucket, serviceAddress, socketAddress } from './resources.ts';
import { functionRole, type Right } from './roles.ts';
import { type Secret, secretsIn } from './secrets.ts';
import { addResources, type Definition, type Serverless, type Service, wholeNumber } from './serverless.ts';

/** The role of a function that does not name one. */
const defaultRole = 'Database';

/** Configures each function: role, secrets, share of the connections, and the shared log. */
export function configureFunctions(serverless: Serverless): void {
  const { service } = serverless;
  const { provider } = service;
  const { roles } = service.custom.deployment;
  const stage = serverless.getProvider('aws').getStage();
  const prefix = `${service.service}-${stage}`;
  const { vpc } = readDeploymentSettings(service.custom.deployment);
  const bucket = useFiles(service);
  // Without a domain for WebSockets, use the address of the API.
  if (provider.environment.SOCKET_URL === '/socket') provider.environment.SOCKET_URL = socketAddress('wss', stage);
  const reservations = reservationsOf(service);
  const secrets = secretsIn(service).filter(({ parameter }) => parameter !== '');

  const byRole = Object.groupBy(Object.entries(service.functions), ([, { role = defaultRole }]) => role);
  for (const [role, functions = []] of Object.entries(byRole)) {
    const rights = roles[role];
    if (!rights) throw new Error(`The role '${role}' is missing in custom.deployment.roles of serverless.yml.`);
    const usesDatabase = rights.includes('database');
    const isReadBy =
      (...readers: Definition[]) =>
      ({ right }: Secret) =>
        right === 'http' ? readers.some(hasRequests) : rights.includes(right);
    const readable = secrets.filter(isReadBy(...functions.map(([, definition]) => definition)));
    addResources(service, {
      [`${role}Role`]: functionRole(rights, {
        prefix,
        logGroup: provider.logs.lambda.logGroup,
        parameters: readable.map(parameterOf),
        isTraced: provider.tracing.lambda === 'Active',
        isInVpc: vpc !== undefined && usesDatabase,
        bucket,
      }),
    });
    for (const [name, definition] of functions) {
      const environment = environmentOf(rights, secrets.filter(isReadBy(definition)), { prefix, stage });
      definition.environment = { ...definition.environment, ...environment };
      definition.role = `${role}Role`;
      // Otherwise the framework would create a log group for each function, and not wait for the
      // shared one.
      definition.disableLogs = true;
      definition.dependsOn = ['FunctionsLogGroup'];
      if (vpc && usesDatabase) definition.vpc = vpc;
      const reserved = reservations[name];
      if (reserved !== undefined) definition.reservedConcurrency = reserved;
    }
  }
  addResources(service, { FunctionsLogGroup: functionsLogGroup(service), ...queueResources(prefix) });
}

const hasRequests = ({ events = [] }: Definition) => events.some(({ httpApi }) => httpApi !== undefined);

const parameterOf = ({ parameter }: Secret) => parameter.slice('ssm:'.length);

/** The environment variables of a function in addition to the common ones. */
function environmentOf(rights: readonly Right[], secrets: Secret[], { prefix, stage }: Record<'prefix' | 'stage', string>) {
  return {
    ...Object.fromEntries(secrets.flatMap(({ isOwn, setting, parameter }) => (isOwn ? [[setting, parameter]] : []))),
    ...(secrets.length > 0 && { AWS_ENDPOINT_URL_SSM: serviceAddress('ssm') }),
    // The mail server is read with the first e-mail.
    SECRETS: [...new Set(secrets.map(({ setting }) => setting))].filter((setting) => setting !== 'SMTP_URL').join(),
    ...(rights.includes('notices') && { PUSH_FUNCTION: `${prefix}-push`, AWS_ENDPOINT_URL_LAMBDA: serviceAddress('lambda') }),
    ...(rights.includes('queue') && {
      ...Object.fromEntries(Object.values(queues).map(({ id, variable }) => [variable, { Ref: id }])),
      AWS_ENDPOINT_URL_SQS: serviceAddress('sqs'),
    }),
    ...(rights.includes('sockets') && { SOCKET_ENDPOINT: socketAddress('https', stage) }),
    // Nothing reads the versions, but a changed variable restarts the functions, which then read
    // the new secret.
    ...Object.fromEntries(secrets.flatMap(({ setting, version }) => (version ? [[`${setting}_VERSION`, version]] : []))),
  };
}

const functionsLogGroup = ({ provider, custom }: Service) => {
  const { logKey } = readDeploymentSettings(custom.deployment);
  return {
    Type: 'AWS::Logs::LogGroup',
    Properties: {
      LogGroupName: provider.logs.lambda.logGroup,
      RetentionInDays: provider.logRetentionInDays,
      ...(logKey && { KmsKeyId: logKey }),
    },
  };
};

/**
 * The bucket for files: created by the deployment unless the settings name another one or `off`.
 */
function useFiles(service: Service): FileBucket | undefined {
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
  addResources(service, fileBucket(listed.includes('*') ? ['*'] : [...listed, ...own]));
  return { name: `\${FilesBucket}`, prefix: '' };
}

/** The reserved concurrency by function. */
function reservationsOf({ functions, provider, custom }: Service): Record<string, number> {
  const { connectionLimit, accountConcurrency } = custom.deployment;
  const limit = wholeNumber('CONNECTION_LIMIT', connectionLimit);
  const quota = wholeNumber('ACCOUNT_CONCURRENCY', accountConcurrency);
  const overrides = Object.keys(functions).flatMap((name) => {
    const text = process.env[concurrencySetting(name)];
    return text ? [[name, wholeNumber(concurrencySetting(name), text)] as const] : [];
  });
  if (limit === 0) return Object.fromEntries(overrides);
  const plan = planConcurrency(limit, wholeNumber('MONGODB_POOL_SIZE', provider.environment.MONGODB_POOL_SIZE));
  const reserved = { ...plan.reserved, ...Object.fromEntries(overrides) };
  const held = quota > 0 ? heldBack(quota, { ...plan, reserved }) : 0;
  return { ...reserved, ...(held > 0 && { prepare: held }) };
}
