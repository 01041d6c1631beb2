import { afterAll } from 'vitest';
import { useConfig, useOwnDatabase } from './config.ts';
import { credentials, type FakeS3, region, startFakeS3 } from './fake-s3.ts';

/**
 * Makes the service of the test file store its files in an object store, with a separate database.
 * Returns the store.
 */
export async function useObjectStore(): Promise<FakeS3> {
  const objectStore = await startFakeS3();
  afterAll(objectStore.close);
  useConfig({
    FILES: `s3://${objectStore.bucket}/chat`,
    FILES_ENDPOINT: objectStore.endpoint,
    FILES_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
  useOwnDatabase();
  return objectStore;
}
