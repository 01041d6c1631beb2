/** Names of fields that were read before, each in the place of its hash: to find one takes less than to make it. */
const names: string[] = new Array(1024).fill('');

/** The name that stands between two places, if it is known. */
export function knownName(bytes: Buffer, start: number, end: number): string | undefined {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (hash * 31 + (bytes[at] as number)) | 0;
  const name = names[hash & 1023] as string;
  if (name.length !== end - start) return undefined;
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) !== bytes[start + i]) return undefined;
  return name;
}

/** Remembers a name, in the place of another; only of ASCII a character is a byte. */
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
