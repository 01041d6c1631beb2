import { afterAll } from 'vitest';
import { credentials, region, startFakeS3 } from './fake-s3.ts';

/* Imported first, by tests of a service whose files are in an object store: one of their own, and a database of their own. */

export const objectStore = await startFakeS3();
Object.assign(process.env, {
  FILES: `s3://${objectStore.bucket}/chat`,
  FILES_ENDPOINT: objectStore.endpoint,
  FILES_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
});
await import('./isolated-database.ts');
afterAll(objectStore.close);
