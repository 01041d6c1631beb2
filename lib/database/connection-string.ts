import { config } from '../settings/config.ts';

/** How to reach the database. In the bundles for AWS, `hosts/aws/connection-string.ts` takes the place of this module. */
export const connectionString = (): string => config.mongodbUri;
