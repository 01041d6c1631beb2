import type { ObjectId } from 'mongodb';
import { HttpError } from '../../base/errors.ts';
import { type FileDocument, files } from '../../collections/rooms/files.ts';
import { previewKey, requireStore } from '../../files/store.ts';
import { anyType, isShownInPlace, typeOf } from '../../files/types.ts';
import type { Bytes } from '../../http/bytes.ts';
import type { Caller } from '../../identity/caller.ts';
import { findMessage } from '../messages.ts';
import { withArrivals } from './arrivals.ts';
import { noSuchFile } from './attachments.ts';

/** The requested bytes of a file, and whether the browser should save them whatever their type. */
type ContentOptions = { isPreview: boolean; isDownload: boolean };

/**
 * The bytes of a file. 404 unless the caller may read its message. Before the file has a message,
 * only its sender may read it.
 */
export async function readFile(id: ObjectId, { isPreview, isDownload }: ContentOptions, caller: Caller): Promise<Bytes> {
  const store = requireStore();
  const { file, preview } = await findFile(id, caller);
  if (isPreview && !preview) throw noSuchFile();
  const { size, sha256, type: announced } = isPreview && preview ? preview : file;
  const key = isPreview ? previewKey(file.key) : file.key;
  const beginning = await store.beginning(key);
  if (!beginning) throw noSuchFile();
  const type = typeOf(announced, beginning);
  const isInPlace = isShownInPlace(type);
  const bytes = {
    type: isInPlace ? type : anyType,
    size,
    sha256,
    name: file.name,
    isShownInPlace: isInPlace && !isDownload,
  };
  const { direct } = store;
  if (direct) return { ...bytes, address: (method, shown) => direct.address(key, method, shown) };
  return { ...bytes, read: (range) => store.read(key, range) };
}

/**
 * The first bytes of a file that the caller may read; of a larger picture, those of its preview.
 */
export async function readBeginning(id: ObjectId, most: number, caller: Caller) {
  const store = requireStore();
  const { file, preview } = await findFile(id, caller);
  const { name, size } = file;
  const isPreview = size > most && preview !== undefined && file.type.startsWith('image/');
  const bytes = await store.beginning(isPreview ? previewKey(file.key) : file.key, isPreview ? preview.size : most);
  if (!bytes) throw noSuchFile();
  return { name, type: typeOf(isPreview ? preview.type : file.type, bytes), size, bytes, isPreview };
}

/** A file that the caller may read, and its preview if that is stored: 404 for any other file. */
async function findFile(id: ObjectId, caller: Caller) {
  const found = await files.findOne({ _id: id, state: { $ne: 'deleted' } });
  const file = found && (await mayRead(found, caller)) ? await withArrivals(found) : undefined;
  if (!file || file.state === 'reserved') throw noSuchFile();
  return { file, preview: file.preview?.is_stored ? file.preview : undefined };
}

async function mayRead({ _id, user, message }: FileDocument, caller: Caller): Promise<boolean> {
  if (!message) return user.equals(caller.user._id);
  try {
    const found = await findMessage(message, caller);
    return found.message.files?.some((one) => one._id.equals(_id)) ?? false;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return false;
    throw error;
  }
}
