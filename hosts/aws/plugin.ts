import {
  alarmTopic,
  apiAlarms,
  concurrencyFor,
  type Deployed,
  roleOf,
  throttleAlarmOf,
  throttledRoutes,
  throttling,
} from './resources.ts';

type Definition = {
  name: string;
  events: { httpApi: string }[];
  role?: string;
  reservedConcurrency?: number;
  environment?: Record<string, string>;
};
type Serverless = {
  service: {
    service: string;
    functions: Record<string, Definition>;
    custom: {
      deployment: { connectionString: string; withoutDatabase: string[]; connectionLimit: string; alarmEmail: string };
    };
    provider: { tracing: { lambda: string }; environment: { MONGODB_POOL_SIZE: string } };
    resources: {
      Resources?: Record<string, unknown>;
      extensions: { HttpApiStage: { Properties: Record<string, unknown>; DependsOn?: string[] } };
    };
  };
  getProvider: (name: 'aws') => {
    naming: { getNormalizedFunctionName: (name: string) => string; getHttpApiRouteLogicalId: (route: string) => string };
  };
};

/**
 * A serverless plugin: gives each function its own role, the name of the connection string, its share of the connections, and alarms; and the
 * routes that cost most a limit of their own.
 */
export default class DeploymentPlugin {
  readonly hooks: Record<string, () => void>;

  constructor(serverless: Serverless) {
    this.hooks = {
      'before:package:initialize': () => {
        addResources(serverless);
        throttleRoutes(serverless);
      },
    };
  }
}

function addResources(serverless: Serverless): void {
  const { service } = serverless;
  const { alarmEmail, connectionLimit, connectionString, withoutDatabase } = service.custom.deployment;
  const actions = alarmEmail ? [{ Ref: 'AlarmTopic' }] : [];
  const resources: Record<string, unknown> = { ...apiAlarms(service.service, actions) };
  if (alarmEmail) resources.AlarmTopic = alarmTopic(alarmEmail);

  const limit = wholeNumber('CONNECTION_LIMIT', connectionLimit);
  const names = Object.keys(service.functions);
  const share = concurrencyFor(
    limit,
    wholeNumber('MONGODB_POOL_SIZE', service.provider.environment.MONGODB_POOL_SIZE),
    names.length,
  );
  if (limit > 0 && share < 1)
    throw new Error(`CONNECTION_LIMIT is too small: ${names.length} functions can't share ${limit} connections.`);

  for (const [name, definition] of Object.entries(service.functions)) {
    const logicalId = serverless.getProvider('aws').naming.getNormalizedFunctionName(name);
    const deployed: Deployed = {
      name,
      functionName: definition.name,
      logicalId,
      parameter: withoutDatabase.includes(name) ? undefined : connectionString,
      isTraced: service.provider.tracing.lambda === 'Active',
    };
    resources[`${logicalId}Role`] = roleOf(deployed);
    resources[`${logicalId}AlarmThrottles`] = throttleAlarmOf(deployed, actions);
    definition.role = `${logicalId}Role`;
    if (deployed.parameter) definition.environment = { ...definition.environment, MONGODB_URI_PARAMETER: deployed.parameter };
    const override = process.env[`CONCURRENCY_${name.toUpperCase().replaceAll('-', '_')}`];
    if (override) definition.reservedConcurrency = wholeNumber(`CONCURRENCY_${name}`, override);
    else if (limit > 0) definition.reservedConcurrency = share;
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
