import { config } from '../../lib/settings/config.ts';
import { readParameter } from './parameter.ts';

const { MONGODB_URI_PARAMETER: parameter } = process.env;

const read = parameter ? await readParameter(parameter) : config.mongodbUri;

/** How to reach the database. */
export const connectionString = (): string => read;
