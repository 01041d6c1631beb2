import { hasTooManyPixels, pictureHeaderLength } from 'chat-service-rules/picture-size';

/**
 * Decodes a picture. Rejects one with too many pixels: a file of 48 kB can need gigabytes of
 * memory.
 */
export async function decodePicture(file: Blob): Promise<ImageBitmap> {
  const header = new Uint8Array(await file.slice(0, pictureHeaderLength).arrayBuffer());
  if (hasTooManyPixels(header)) throw new Error('The picture has too many pixels.');
  return createImageBitmap(file);
}
