import { type FileDocument, files } from '../../collections/rooms/files.ts';
import { previewKey, requireStore } from '../../files/store.ts';

/**
 * A file as it is now, noted with it: senders who store bytes without the service tell nobody when they are there, so
 * that it looks when they are first needed. What has a message has its bytes.
 */
export async function withArrivals(file: FileDocument): Promise<FileDocument> {
  const { direct } = requireStore();
  const { _id, key, state, preview } = file;
  if (!direct || (state !== 'reserved' && state !== 'stored')) return file;
  const [isHere, hasPreview] = await Promise.all([
    state === 'reserved' && direct.holds(key, file),
    preview && !preview.is_stored && direct.holds(previewKey(key), preview),
  ]);
  if (!isHere && !hasPreview) return file;
  const arrived = { ...(isHere && { state: 'stored' as const }), ...(hasPreview && { 'preview.is_stored': true as const }) };
  const noted = await files.findOneAndUpdate(
    { _id, state: { $in: ['reserved', 'stored'] } },
    { $set: arrived },
    { returnDocument: 'after' },
  );
  // Sent or removed meanwhile.
  return noted ?? (await files.findOne({ _id, state: { $ne: 'deleted' } })) ?? file;
}
