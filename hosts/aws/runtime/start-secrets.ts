import { readSecrets } from './parameter.ts';

/* The first module of each bundle. What it imports must not read the settings, which have no secrets yet. */
await readSecrets(process.env);
