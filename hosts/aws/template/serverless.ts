import type { WrittenSettings } from './deployment-settings.ts';
import type { Right } from './roles.ts';

/* The parts of the Serverless Framework's object that the plugin uses. */

/** Names and versions of secret parameters in `serverless.yml`. Each may be empty. */
export type WrittenSecrets = Record<
  | 'connectionString'
  | 'connectionStringVersion'
  | 'mailServerVersion'
  | 'secretKeyVersion'
  | 'oidcSecretVersion'
  | 'oidcProvidersVersion'
  | 'cloudfrontSecret'
  | 'cloudfrontSecretVersion',
  string
>;

/** Settings that are, or contain, secrets. */
export type SecretSetting = 'SMTP_URL' | 'SECRET_KEY' | 'OIDC_CLIENT_SECRET' | 'OIDC_PROVIDERS';

/** A function of `serverless.yml`. */
export type Definition = {
  name: string;
  events: { httpApi?: string }[];
  role?: string;
  disableLogs?: boolean;
  dependsOn?: string[];
  reservedConcurrency?: number;
  environment?: Record<string, unknown>;
  vpc?: { subnetIds: string[]; securityGroupIds: string[] };
};

/** A resource of the CloudFormation template. */
export type Resource = { Type: string; Properties: Record<string, unknown>; DependsOn?: string | string[] };

export type Service = {
  service: string;
  functions: Record<string, Definition>;
  custom: {
    deployment: WrittenSettings &
      WrittenSecrets & {
        roles: Record<string, Right[]>;
        connectionLimit: string;
        accountConcurrency: string;
        alarmEmail: string;
      };
  };
  provider: {
    tracing: { lambda: string };
    logs: { lambda: { logGroup: string } };
    logRetentionInDays: number;
    environment: Record<string, unknown> &
      Record<'MONGODB_POOL_SIZE' | SecretSetting | 'PUBLIC_URL' | 'CORS_ORIGINS' | 'FILES_REGION', string> & {
        FILES: unknown;
        FILES_ENDPOINT: unknown;
      };
    tags?: Record<string, string>;
    stackTags?: Record<string, string>;
    compiledCloudFormationTemplate: { Resources: Record<string, Resource> };
  };
  resources: {
    Resources?: Record<string, unknown>;
    Outputs?: Record<string, unknown>;
    extensions: Record<string, { Properties: Record<string, unknown> }> & {
      HttpApiStage: { Properties: Record<string, unknown>; DependsOn?: string[] };
    };
  };
};

export type Serverless = {
  serviceDir: string;
  processedInput: { commands: string[] };
  classes: { Error: new (message: string, code: string) => Error };
  service: Service;
  getProvider: (name: 'aws') => {
    getStage: () => string;
    naming: Record<'getNormalizedFunctionName' | 'getHttpApiRouteLogicalId', (name: string) => string>;
  };
};

/** Adds resources to the template. */
export function addResources({ resources }: Service, added: Record<string, unknown>): void {
  resources.Resources = { ...resources.Resources, ...added };
}

/** Parses an integer setting. Throws an error that names the setting. */
export function wholeNumber(setting: string, text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`Set ${setting} to a whole number, not '${text}'.`);
}
