import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { SourceFile, SourceMessage } from 'chat-service-import/source';
import { lines, link } from 'chat-service-rules/formats/markdown';
import { hasTooManyPixels, pictureHeaderLength } from 'chat-service-rules/picture-size';
import { storable } from 'chat-service-rules/texts';
import type { ObjectId } from 'mongodb';
import { nameText } from '../api/parameters.ts';
import { HttpError } from '../base/errors.ts';
import { type FileDocument, files } from '../collections/rooms/files.ts';
import { type AttachedFile, type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { giveQuotaBack, takeQuota } from '../files/quotas.ts';
import { bindingTime, removeFile } from '../files/removal.ts';
import { findStore } from '../files/store.ts';
import { anyType, typeOf } from '../files/types.ts';
import { config } from '../settings/config.ts';
import type { WritingRun } from './writing.ts';

/*
 * Files use the store and the quotas of the service, in the order of an upload. The quota is
 * charged, the bytes are stored, and the file is bound to a message that follows. If a run is
 * interrupted, the sweep removes the rest, or the next run continues it: ids and keys are derived
 * from the source.
 */

/** The most files of a message. */
const mostFiles = 10;

/** Stores the files of a message. `lines` is text for the files that cannot be stored. */
export async function bringFiles(
  message: SourceMessage,
  writing: WritingRun,
): Promise<{ attached: AttachedFile[]; lines: string }> {
  const { tally, ids, isDryRun } = writing;
  tally.read('files', message.files.length);
  const attached: AttachedFile[] = [];
  const lacking: string[] = [];
  if (message.files.length === 0) return { attached, lines: '' };
  const id = ids('message', message.id, message.at);
  const stored = await messages.unscoped.findOne<Pick<MessageDocument, 'files'>>({ _id: id }, { projection: { files: 1 } });
  for (const file of message.files) {
    if (file.gone !== undefined) {
      tally.leaveOut('files', file.gone, { id: file.id });
      continue;
    }
    const refusal = whyNot(file, attached.length);
    if (refusal === undefined && stored) {
      tally.present('files');
      continue;
    }
    const brought = refusal ?? (isDryRun ? undefined : await importFile(file, { message, id }, writing));
    if (typeof brought === 'string') {
      lacking.push(link(lineOf(file.name), file.address));
      tally.leaveOut('files', brought, { id: file.id, name: file.name, address: file.address });
    } else {
      if (brought) attached.push(brought);
      tally.written('files');
    }
  }
  return { attached: stored?.files ?? attached, lines: lines(...lacking) };
}

/** Records that the messages of bound files exist. */
export async function settleFiles(documents: MessageDocument[]): Promise<void> {
  const bound = documents.filter((document) => document.files).map(({ _id }) => _id);
  if (bound.length > 0) await files.updateMany({ message: { $in: bound }, state: 'bound' }, { $unset: { due: '' } });
}

function whyNot({ open, size = 0, address }: SourceFile, count: number): string | undefined {
  if (!open) return address === undefined ? 'not in the archive' : 'not in the archive: a link to it stands in the message';
  if (!findStore()?.receive) return 'the service keeps no files, or keeps them in an object store';
  if (size > config.files.size) return 'larger than FILE_SIZE';
  return count < mostFiles ? undefined : `more than ${mostFiles} in one message`;
}

const fileName = nameText(1, 255);
const lineOf = (name: string) => storable(name).replaceAll(/\s+/g, ' ');

async function importFile(
  { id, name, open, lack = 'damaged in the archive' }: SourceFile,
  { message, id: messageId }: { message: SourceMessage; id: ObjectId },
  { ids, people, room }: WritingRun,
): Promise<AttachedFile | string> {
  const store = findStore();
  if (!open || !store?.receive) return 'not in the archive';
  const _id = ids('file', `${message.id} ${id}`, message.at);
  const { _id: user } = await people.named(message.author);
  const shown = fileName.read([...lineOf(name)].slice(-255).join('')) ?? 'file';
  const measured = await measure(open);
  if (!measured) return lack;
  const { size, sha256, beginning } = measured;
  const found = typeOf(typesByEnding[extname(shown).toLowerCase()] ?? anyType, beginning);
  const type = hasTooManyPixels(beginning) ? anyType : found;
  const known = await files.findOne({ _id });
  // Left over from an earlier run: the message lost its text, or belongs to another room or author
  // now.
  if (
    known &&
    (known.state === 'deleted' || !known.user.equals(user) || !known.room.equals(room._id) || known.sha256 !== sha256)
  ) {
    await removeFile(known);
    return 'left from an earlier run: run the import again';
  }
  const key = createHash('sha256').update(`import ${_id.toHexString()} ${sha256}`).digest('hex').slice(0, 32);
  const due = new Date(Date.now() + bindingTime);
  if (!known) {
    const refusal = await reserve({
      ...{ _id, room: room._id, user, message: null, name: shown, type, size, sha256 },
      ...{ width: null, height: null, duration: null, key, bytes: size, state: 'reserved', created_at: new Date(), due },
    });
    if (refusal !== undefined) return refusal;
  }
  await store.receive(known?.key ?? key, { type, size, sha256 }, await open());
  await files.updateOne({ _id }, { $set: { state: 'bound', message: messageId, due } });
  return { _id, name: shown, type, size, width: null, height: null, duration: null, has_preview: false };
}

async function reserve(file: FileDocument): Promise<string | undefined> {
  try {
    await takeQuota(file.user, file.bytes);
  } catch (error) {
    if (error instanceof HttpError && error.status === 409) return 'more than FILES_PER_USER or FILES_IN_ALL';
    throw error;
  }
  try {
    await files.insertOne(file);
  } catch (error) {
    await giveQuotaBack(file.user, file.bytes);
    throw error;
  }
}

type MeasuredFile = { size: number; sha256: string; beginning: Buffer };

/** The size, hash and beginning of a file; undefined if it is unreadable. */
async function measure(open: NonNullable<SourceFile['open']>): Promise<MeasuredFile | undefined> {
  const hash = createHash('sha256');
  let size = 0;
  let beginning = Buffer.alloc(0);
  try {
    for await (const chunk of (await open()) as AsyncIterable<Buffer>) {
      if (beginning.length < pictureHeaderLength) beginning = Buffer.concat([beginning, chunk]).subarray(0, pictureHeaderLength);
      size += chunk.length;
      hash.update(chunk);
    }
  } catch {
    return undefined;
  }
  return { size, sha256: hash.digest('hex'), beginning };
}

const typesByEnding: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.zip': 'application/zip',
};
