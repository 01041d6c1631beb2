import { config } from '../../lib/config.ts';
import { isParameter } from '../../lib/settings.ts';
import { readParameter } from './parameter.ts';

const read = (secret: string) => (isParameter(secret) ? readParameter(secret.slice('ssm:'.length)) : secret);

/** The secrets of this service at the identity providers: what the SSM parameters say that are set instead. */
export const oidcSecrets: ReadonlyMap<string, string> = new Map(
  await Promise.all(config.identityProviders.map(async ({ id, clientSecret }) => [id, await read(clientSecret)] as const)),
);
