/**
 * A cache of field names, each at the position of its hash. Finding a name is faster than creating
 * the string.
 */
const names: string[] = new Array(1024).fill('');

/** The cached name for some bytes, if there is one. */
export function knownName(bytes: Buffer, start: number, end: number): string | undefined {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (hash * 31 + (bytes[at] as number)) | 0;
  const name = names[hash & 1023] as string;
  if (name.length !== end - start) return undefined;
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) !== bytes[start + i]) return undefined;
  return name;
}

/**
 * Caches a name and replaces another one. Only ASCII names are cached, because their characters are
 * single bytes.
 */
export function learnName(name: string): string {
  let hash = 0;
  let isAscii = name.length < 32;
  for (let i = 0; isAscii && i < name.length; i++) {
    hash = (hash * 31 + name.charCodeAt(i)) | 0;
    isAscii = name.charCodeAt(i) < 128;
  }
  if (isAscii) names[hash & 1023] = name;
  return name;
}
