import { config } from '../../lib/settings/config.ts';
import { readSecret } from './parameter.ts';

const read = config.identityProviders.map(async ({ id, clientSecret }) => [id, await readSecret(clientSecret)] as const);

const secrets = new Map(await Promise.all(read));

/** The secrets of this service at the identity providers. The settings name the SSM parameters that have them. */
export const oidcSecrets = (): ReadonlyMap<string, string> => secrets;
