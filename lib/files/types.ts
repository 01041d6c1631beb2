/** The types that are shown in place: how their files begin, at which byte. */
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

/** Whether a file of a type is shown in place; every other one is downloaded, as bytes that no browser takes for a page or a program. */
export const isShownInPlace = (type: string): boolean => Object.hasOwn(signatures, type);

/** What a file of another type, or of none, is called. */
export const anyType = 'application/octet-stream';

/**
 * The type of a file. One that would be shown in place must begin as such files do; one that begins as another of
 * them, as pictures with a wrong ending do, is of that type, and what lies is bytes.
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
