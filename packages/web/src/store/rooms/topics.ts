import { signal } from '@preact/signals';
import { ask, chat, type Room, type RoomDetails } from '../../service/api.ts';
import { changeMyRoom } from './rooms.ts';

/** The known facts about a room besides my membership. */
type RoomFacts = { room?: Room; details?: RoomDetails };

const knownFacts = signal<ReadonlyMap<string, RoomFacts>>(new Map());

/** Returns the known facts about a room. */
export const aboutRoom = (id: string): RoomFacts => knownFacts.value.get(id) ?? {};

/** Adds facts about a room. */
export function learnAbout(id: string, about: RoomFacts): void {
  knownFacts.value = new Map(knownFacts.value).set(id, { ...aboutRoom(id), ...about });
  if (about.details) changeMyRoom(id, { avatar: about.details.avatar });
  if (about.room && about.room.name !== '') changeMyRoom(id, { name: about.room.name, isOpen: about.room.is_open });
}

/** Asks for a room and its details; throws a `Failure`. */
export async function loadAbout(id: string): Promise<void> {
  const params = { path: { room: id } };
  const [room, details] = await Promise.all([
    ask(chat.GET('/api/rooms/{room}', { params })),
    ask(chat.GET('/api/rooms/{room}/details', { params })),
  ]);
  learnAbout(id, { room, details: details as RoomDetails });
}

/** Handles a change of a room: facts about it are requested again when they are needed. */
export function roomChanged(id: string, room: Room | undefined): void {
  if (room) learnAbout(id, { room });
  if (knownFacts.value.has(id)) void loadAbout(id).catch(() => {});
}

/** The time over which pages spread their requests after the same event, in milliseconds. */
const spreadMs = 1_000;

/** The rooms whose number of members is about to be read. */
const recounted = new Set<string>();

/** Handles members who joined or left: reads their number again, once for several of them. */
export function membersChanged(id: string): void {
  if (!knownFacts.value.has(id) || recounted.has(id)) return;
  recounted.add(id);
  setTimeout(() => {
    recounted.delete(id);
    void loadAbout(id).catch(() => {});
  }, Math.random() * spreadMs);
}
