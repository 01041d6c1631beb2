import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Source, SourceMessage, SourcePerson, SourceRoom } from 'chat-service-import/source';

type LeftOutItem = { kind: string; leftOut: string };
type ReadRoom = Omit<SourceRoom, 'messages'> & { messages: SourceMessage[] };
type ReadSource = { people: SourcePerson[]; rooms: ReadRoom[]; leftOut: LeftOutItem[]; unread: string[] };

/**
 * The records that a reader produces from an archive, without a database. Usernames are the
 * people's ids.
 */
export async function readArchive(open: (path: string) => Promise<Source>, archive: Uint8Array | string): Promise<ReadSource> {
  const directory = await mkdtemp(join(tmpdir(), 'chat-read-'));
  try {
    const path = join(directory, 'archive');
    await writeFile(path, archive);
    const source = await open(path);
    try {
      return await readSource(source);
    } finally {
      await source.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function readSource(source: Source): Promise<ReadSource> {
  const read: ReadSource = { people: [], rooms: [], leftOut: [], unread: [] };
  for await (const person of source.people()) read.people.push(person);
  for await (const room of source.rooms()) {
    const messages: SourceMessage[] = [];
    for await (const item of room.messages((id) => (read.people.some((one) => one.id === id) ? `name-${id}` : undefined)))
      if ('leftOut' in item) read.leftOut.push({ kind: item.kind ?? 'messages', leftOut: item.leftOut });
      else messages.push(item);
    for (const { open } of messages.flatMap(({ files }) => files)) if (open) await buffer(await open());
    read.rooms.push({ ...room, messages });
  }
  for (const { kind = 'messages', leftOut } of source.unreadable?.() ?? []) read.leftOut.push({ kind, leftOut });
  read.unread = (source.unread?.() ?? []).map(({ name }) => name);
  return read;
}

/** The texts of each room, by its name. */
export const textsOf = ({ rooms }: ReadSource): Record<string, string[]> =>
  Object.fromEntries(rooms.map(({ name, messages }) => [name, messages.map(({ text }) => text)]));
