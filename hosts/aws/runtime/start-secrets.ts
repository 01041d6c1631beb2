import { readSecrets } from './parameter.ts';

/*
 * The first module of each bundle. Its imports must not read the settings, because the secrets are
 * not set yet.
 */
await readSecrets(process.env);
