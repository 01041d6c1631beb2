import { type IdentityProvider, providersIn } from '../../../lib/settings/identity-providers.ts';
import type { Right } from './roles.ts';
import type { Service } from './serverless.ts';

/** A secret of the deployment, stored in an SSM parameter. */
export type Secret = {
  setting: string;
  /** The secret's name in error messages, if it is only a part of the setting. */
  called?: string;
  /** The parameter as `ssm:/...`; empty if the setting is empty. */
  parameter: string;
  example: string;
  /** The right that a function needs to read it. `http` means every function with HTTP events. */
  right: Right | 'http';
  version: string;
  /** True if only its readers have the setting. Other settings are set for all functions. */
  isOwn?: true;
};

/** All secrets of a deployment, including those without a parameter. */
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

/**
 * The identity providers of a list. An invalid list gives none; the check of the settings reports
 * it.
 */
function listedIn(text: string): IdentityProvider[] {
  const read = providersIn(text);
  return typeof read === 'string' ? [] : read;
}
