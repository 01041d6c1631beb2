import { alarmTopic, apiAlarms, concurrencyFor, type Deployed, roleOf, throttleAlarmOf } from './resources.ts';

type Functions = Record<string, { name: string; role?: string; reservedConcurrency?: number }>;
type Serverless = {
  service: {
    service: string;
    functions: Functions;
    custom: { deployment: { connectionLimit: string; alarmEmail: string } };
    provider: { tracing: { lambda: string }; environment: { MONGODB_POOL_SIZE: string } };
    resources: { Resources?: Record<string, unknown> };
  };
  getProvider: (name: 'aws') => { naming: { getNormalizedFunctionName: (name: string) => string } };
};

/** A serverless plugin: gives each function its own role, its share of the database's connections, and alarms. */
export default class DeploymentPlugin {
  readonly hooks: Record<string, () => void>;

  constructor(serverless: Serverless) {
    this.hooks = { 'before:package:initialize': () => addResources(serverless) };
  }
}

function addResources(serverless: Serverless): void {
  const { service } = serverless;
  const { alarmEmail, connectionLimit } = service.custom.deployment;
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
      isTraced: service.provider.tracing.lambda === 'Active',
    };
    resources[`${logicalId}Role`] = roleOf(deployed);
    resources[`${logicalId}AlarmThrottles`] = throttleAlarmOf(deployed, actions);
    definition.role = `${logicalId}Role`;
    const override = process.env[`CONCURRENCY_${name.toUpperCase().replaceAll('-', '_')}`];
    if (override) definition.reservedConcurrency = wholeNumber(`CONCURRENCY_${name}`, override);
    else if (limit > 0) definition.reservedConcurrency = share;
  }
  service.resources.Resources = { ...service.resources.Resources, ...resources };
}

function wholeNumber(setting: string, text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`Set ${setting} to a whole number, not '${text}'.`);
}
