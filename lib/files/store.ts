import { permissionDenied, type Refusal } from '../base/errors.ts';
import { fromConfig } from '../settings/config.ts';
import { directoryStore } from './directory.ts';
import type { FileStore } from './file-store.ts';
import { s3Store } from './s3.ts';

export const noFiles: Refusal = () => permissionDenied('no_files', 'The service does not store files.');

/** The file store; undefined if the service stores no files. */
export const findStore = fromConfig(({ files: { directory, bucket } }): FileStore | undefined => {
  if (bucket) return s3Store(bucket);
  return directory === '' ? undefined : directoryStore(directory);
});

/** The file store; 403 if the service stores no files. */
export function requireStore(): FileStore {
  const store = findStore();
  if (!store) throw noFiles();
  return store;
}

/** The key of a file's preview in the store. */
export const previewKey = (key: string): string => `${key}p`;

/**
 * The key of the file that some bytes belong to: its own, those of its preview, or an incomplete
 * upload.
 */
export const fileKeyOf = (name: string): string => name.slice(0, 32);
