import { type IdentityProvider, providersIn } from '../../../lib/settings/identity-providers.ts';
import type { Right } from './roles.ts';
import type { Service } from './serverless.ts';

/** A secret of the deployment, which is a parameter of SSM. */
export type Secret = {
  setting: string;
  /** The name of the secret in errors, if it is only a part of the setting. */
  called?: string;
  /** The parameter, as `ssm:/...`; empty if the setting is empty. */
  parameter: string;
  example: string;
  /** The right that a function needs to read it; `http`: every function with HTTP requests reads it. */
  right: Right | 'http';
  version: string;
  /** Whether only its readers have the setting; all functions have the others. */
  isOwn?: true;
};

/** The secrets of a deployment, with and without a parameter. */
export function secretsIn({ provider: { environment }, custom: { deployment } }: Service): Secret[] {
  return [
    {
      setting: 'MONGODB_URI',
      parameter: `ssm:${deployment.connectionString}`,
      example: 'mongodb-uri',
      right: 'database',
      version: deployment.connectionStringVersion,
      isOwn: true,
    },
    {
      setting: 'SMTP_URL',
      parameter: environment.SMTP_URL,
      example: 'smtp-url',
      right: 'mail',
      version: deployment.mailServerVersion,
    },
    {
      setting: 'SECRET_KEY',
      parameter: environment.SECRET_KEY,
      example: 'secret-key',
      right: 'secret-key',
      version: deployment.secretKeyVersion,
    },
    {
      setting: 'OIDC_CLIENT_SECRET',
      parameter: environment.OIDC_CLIENT_SECRET,
      example: 'oidc-secret',
      right: 'identity-providers',
      version: deployment.oidcSecretVersion,
    },
    ...listedIn(environment.OIDC_PROVIDERS).map(({ id, clientSecret }) => ({
      setting: 'OIDC_PROVIDERS',
      called: `the client_secret of '${id}' in OIDC_PROVIDERS`,
      parameter: clientSecret,
      example: `oidc-${id}`,
      right: 'identity-providers' as const,
      version: deployment.oidcProvidersVersion,
    })),
    {
      setting: 'CLOUDFRONT_SECRET',
      parameter: deployment.cloudfrontSecret,
      example: 'cloudfront-secret',
      right: 'http',
      version: deployment.cloudfrontSecretVersion,
      isOwn: true,
    },
  ];
}

/** The providers of a list; none if the list is invalid, which the check of the settings reports. */
function listedIn(text: string): IdentityProvider[] {
  const read = providersIn(text);
  return typeof read === 'string' ? [] : read;
}
