/** The types that are shown inline, with their signatures at the beginning of a file. */
const signatures: Record<string, (beginning: Buffer) => boolean> = {
  'image/png': (bytes) => has(bytes, 0, '\x89PNG\r\n\x1a\n'),
  'image/jpeg': (bytes) => has(bytes, 0, '\xff\xd8\xff'),
  'image/gif': (bytes) => has(bytes, 0, 'GIF87a') || has(bytes, 0, 'GIF89a'),
  'image/webp': (bytes) => has(bytes, 0, 'RIFF') && has(bytes, 8, 'WEBP'),
  'image/avif': (bytes) => has(bytes, 4, 'ftypavif') || has(bytes, 4, 'ftypavis'),
  'video/mp4': (bytes) => /^ftyp(isom|iso[2-9]|mp4[12]|avc1|dash|M4V |mmp4|MSNV|qt {2})/.test(bytes.toString('latin1', 4, 12)),
  'video/webm': (bytes) => has(bytes, 0, '\x1aE\xdf\xa3') && bytes.includes('webm'),
  'audio/mpeg': (bytes) => has(bytes, 0, 'ID3') || (bytes[0] === 0xff && [0xfa, 0xfb, 0xf2, 0xf3].includes(bytes[1] ?? 0)),
  'audio/mp4': (bytes) => has(bytes, 4, 'ftypM4A ') || has(bytes, 4, 'ftypmp42') || has(bytes, 4, 'ftypisom'),
  'audio/ogg': (bytes) => has(bytes, 0, 'OggS'),
  'audio/wav': (bytes) => has(bytes, 0, 'RIFF') && has(bytes, 8, 'WAVE'),
  'audio/webm': (bytes) => has(bytes, 0, '\x1aE\xdf\xa3') && bytes.includes('webm'),
  'application/pdf': (bytes) => has(bytes, 0, '%PDF-'),
};

const has = (bytes: Buffer, at: number, text: string) => bytes.toString('latin1', at, at + text.length) === text;

/**
 * Returns true if files of a type are shown inline. All others are downloaded, as bytes that no
 * browser treats as a page or a program.
 */
export const isShownInPlace = (type: string): boolean => Object.hasOwn(signatures, type);

/** The type of a file with an unknown or false type. */
export const anyType = 'application/octet-stream';

/**
 * The type of a file. A type that is shown inline must match the file's signature. If another
 * inline type of the same kind matches, such as for a picture with a wrong extension, that type is
 * used. Otherwise the file is plain bytes.
 */
export function typeOf(claimed: string, beginning: Buffer): string {
  const type = otherNames[claimed] ?? claimed;
  if (!isShownInPlace(type) || signatures[type]?.(beginning)) return type;
  const kind = type.split('/')[0];
  const others = Object.keys(signatures).filter((other) => kind === other.split('/')[0]);
  return others.find((other) => signatures[other]?.(beginning)) ?? anyType;
}

const otherNames: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
};
