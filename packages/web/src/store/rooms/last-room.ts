import { roomPath } from '../../device/routes.ts';
import { recallJson, remember } from '../../device/storage.ts';
import type { MyRoom } from '../kept.ts';
import { chooseRoom } from './choose-room.ts';

/*
 * The rooms that were opened last in this browser, and the one that the page opens if its address
 * names none.
 */

const keyOf = (user: string) => `chat-last-rooms-${user}`;

const mostRemembered = 12;

/** Records the last room that a user opened in this browser. */
export function rememberRoom(user: string, room: string): void {
  const others = recentRooms(user).filter((other) => other !== room);
  remember(keyOf(user), JSON.stringify([room, ...others].slice(0, mostRemembered)));
}

/** The rooms that a user opened last in this browser, the last one first. */
export const recentRooms = (user: string): readonly string[] => recallJson<string[]>(keyOf(user), []);

/** True if the list is beside an open room. On a phone the list is a screen of its own. */
const isWide = () => matchMedia('(width >= 48rem)').matches;

/** The address of the room to open for a user; undefined without a room, or on a phone. */
export function firstRoomPath(user: string, list: readonly MyRoom[]): string | undefined {
  const room = isWide() ? chooseRoom(list, recentRooms(user)[0]) : undefined;
  return room && roomPath(room.id);
}
