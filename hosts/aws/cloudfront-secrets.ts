import { readParameter } from './parameter.ts';

const { CLOUDFRONT_SECRET_PARAMETER: parameter } = process.env;

/** What the SSM parameter says: one secret, or an old and a new one, separated by a blank, while the one replaces the other. */
export const cloudfrontSecrets: readonly string[] = parameter
  ? (await readParameter(parameter)).split(/\s+/).filter(Boolean)
  : [];

if (parameter && !cloudfrontSecrets.some((secret) => secret.length >= 16))
  throw new Error(`The SSM parameter ${parameter} is not a secret of at least 16 characters.`);
