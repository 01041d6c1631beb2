import { permissionDenied, type Refusal } from '../base/errors.ts';
import { fromConfig } from '../settings/config.ts';
import { directoryStore } from './directory.ts';
import type { FileStore } from './file-store.ts';
import { s3Store } from './s3.ts';

export const noFiles: Refusal = () => permissionDenied('no_files', 'The service keeps no files.');

/** The store of the files; undefined if the service keeps none. */
export const findStore = fromConfig(({ files: { place, bucket } }): FileStore | undefined => {
  if (bucket) return s3Store(bucket);
  return place === '' ? undefined : directoryStore(place);
});

/** The store, or a refusal (403) where the service keeps no files. */
export function requireStore(): FileStore {
  const store = findStore();
  if (!store) throw noFiles();
  return store;
}

/** What the store calls the preview of a file. */
export const previewKey = (key: string): string => `${key}p`;

/** The key of the file to which the name of some bytes belongs. */
export const fileKeyOf = (name: string): string => name.slice(0, 32);
