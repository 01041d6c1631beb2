import { config } from '../../lib/settings/config.ts';
import { readSecret } from './parameter.ts';

const read = config.identityProviders.map(async ({ id, clientSecret }) => [id, await readSecret(clientSecret)] as const);

/** The secrets of this service at the identity providers: what the SSM parameters say that are set instead. */
export const oidcSecrets: ReadonlyMap<string, string> = new Map(await Promise.all(read));
