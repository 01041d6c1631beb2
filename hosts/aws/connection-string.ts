import { config } from '../../lib/settings/config.ts';
import { readParameter } from './parameter.ts';

const { MONGODB_URI_PARAMETER: parameter } = process.env;

/** How to reach the database. */
export const connectionString: string = parameter ? await readParameter(parameter) : config.mongodbUri;
