import type { ObjectId } from 'mongodb';
import { type FileDocument, files } from '../collections/files.ts';
import { HttpError } from '../errors.ts';
import { previewKey, requireStore } from '../files/store.ts';
import { anyType, isShownInPlace, typeOf } from '../files/types.ts';
import type { Bytes } from '../http/bytes.ts';
import type { Caller } from '../identity/caller.ts';
import { noSuchFile } from './attachments.ts';
import { findMessage } from './messages.ts';

/**
 * The bytes of a file, for those who may read its message now: for everyone else, there is no such file (404). Before
 * it has a message, only its sender may.
 */
export async function readFile(id: ObjectId, isPreview: boolean, caller: Caller): Promise<Bytes> {
  const store = requireStore();
  const file = await files.findOne({ _id: id, state: { $in: ['stored', 'bound'] } });
  const isReadable = file && (await mayRead(file, caller));
  const preview = file?.preview?.is_stored ? file.preview : undefined;
  if (!isReadable || (isPreview && !preview)) throw noSuchFile();
  const { size, sha256, type: announced } = isPreview && preview ? preview : file;
  const key = isPreview ? previewKey(file.key) : file.key;
  const beginning = await store.beginning(key);
  if (!beginning) throw noSuchFile();
  const type = typeOf(announced, beginning);
  const isInPlace = isShownInPlace(type);
  return {
    type: isInPlace ? type : anyType,
    size,
    sha256,
    name: file.name,
    isShownInPlace: isInPlace,
    read: (range) => store.read(key, range),
  };
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
