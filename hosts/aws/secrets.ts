import { type IdentityProvider, providersIn } from '../../lib/settings/identity-providers.ts';

/** What `serverless.yml` says of secrets: parameters, which functions read them or do not, and versions, which may be empty. */
export type WrittenSecrets = Record<'withoutDatabase' | 'withMail' | 'withSecretKey' | 'withOidc' | 'withoutHttp', string[]> &
  Record<
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

/** The settings of the service that have secrets. */
export type SecretSetting = 'SMTP_URL' | 'SECRET_KEY' | 'OIDC_CLIENT_SECRET' | 'OIDC_PROVIDERS';

/** A secret of the deployment, which is a parameter of SSM. */
type Secret = {
  setting: string;
  /** What an error calls it, where it is only a part of the setting. */
  called?: string;
  /** The parameter, as `ssm:/...`; empty where the setting is not set. */
  parameter: string;
  example: string;
  /** The functions that read it, which alone may. */
  readers: string[];
  version: string;
  /** The variable that names the parameter to its readers, where the setting itself does not. */
  variable?: string;
};

/** The secrets of a deployment with these functions, whether they are set or not. */
export function secretsOf(functions: string[], environment: Record<SecretSetting, string>, deployment: WrittenSecrets): Secret[] {
  const allBut = (others: string[]) => functions.filter((name) => !others.includes(name));
  return [
    {
      setting: 'MONGODB_URI',
      parameter: `ssm:${deployment.connectionString}`,
      example: 'mongodb-uri',
      readers: allBut(deployment.withoutDatabase),
      version: deployment.connectionStringVersion,
      variable: 'MONGODB_URI_PARAMETER',
    },
    {
      setting: 'SMTP_URL',
      parameter: environment.SMTP_URL,
      example: 'smtp-url',
      readers: deployment.withMail,
      version: deployment.mailServerVersion,
    },
    {
      setting: 'SECRET_KEY',
      parameter: environment.SECRET_KEY,
      example: 'secret-key',
      readers: deployment.withSecretKey,
      version: deployment.secretKeyVersion,
    },
    {
      setting: 'OIDC_CLIENT_SECRET',
      parameter: environment.OIDC_CLIENT_SECRET,
      example: 'oidc-secret',
      readers: deployment.withOidc,
      version: deployment.oidcSecretVersion,
    },
    ...listedIn(environment.OIDC_PROVIDERS).map(({ id, clientSecret }) => ({
      setting: 'OIDC_PROVIDERS',
      called: `the client_secret of '${id}' in OIDC_PROVIDERS`,
      parameter: clientSecret,
      example: `oidc-${id}`,
      readers: deployment.withOidc,
      version: deployment.oidcProvidersVersion,
    })),
    {
      setting: 'CLOUDFRONT_SECRET',
      parameter: deployment.cloudfrontSecret,
      example: 'cloudfront-secret',
      readers: allBut(deployment.withoutHttp),
      version: deployment.cloudfrontSecretVersion,
      variable: 'CLOUDFRONT_SECRET_PARAMETER',
    },
  ];
}

/** The providers of a list; none of one that is wrong, of which the settings' own check says what is. */
function listedIn(text: string): IdentityProvider[] {
  const read = providersIn(text);
  return typeof read === 'string' ? [] : read;
}
