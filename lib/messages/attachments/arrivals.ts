import { type FileDocument, files } from '../../collections/rooms/files.ts';
import { previewKey, requireStore } from '../../files/store.ts';

/**
 * Returns a file after checking whether its bytes have arrived. Clients upload directly to an
 * object store, which does not notify the service. So the service checks when the bytes are first
 * needed. A file of a message always has its bytes.
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
  // The file was sent or removed in the meantime.
  return noted ?? (await files.findOne({ _id, state: { $ne: 'deleted' } })) ?? file;
}
