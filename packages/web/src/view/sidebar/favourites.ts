import { batch } from '@preact/signals';
import { announce } from '../../device/announcer.tsx';
import { roomPath } from '../../device/routes.ts';
import { tell } from '../../device/tabs.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure } from '../../service/api.ts';
import type { MyRoom } from '../../store/kept.ts';
import { numbersFor } from '../../store/rooms/favourite-order.ts';
import { changeMyRoom, distrustLists, placing, roomOf } from '../../store/rooms/rooms.ts';
import { sections } from '../../store/rooms/sections.ts';
import { sync } from '../../sync/sync.ts';
import { safeName } from '../../text/names.ts';
import { attempt } from '../shared/controls.tsx';
import type { MenuItem } from '../shared/menu.tsx';

/* The order of the favourites, which one makes by hand. */

/** My favourites in their order. */
export const favourites = (): readonly MyRoom[] => sections.peek()?.find(({ name }) => name === 'favourites')?.rooms ?? [];

/** The menu items that move a favourite. */
export function movesOf(id: string): MenuItem[] {
  const list = favourites();
  const at = list.findIndex((room) => room.id === id);
  const { up, down } = laterStrings.favourites;
  const move = (to: number) => () => {
    moveFavourite(id, to);
    // A row that changes places loses the focus.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`.rooms a[href="${roomPath(id)}"] ~ button`)?.focus());
  };
  return [
    ...(at > 0 ? [{ label: up, icon: 'up' as const, act: move(at - 1) }] : []),
    ...(at >= 0 && at < list.length - 1 ? [{ label: down, icon: 'down' as const, act: move(at + 1) }] : []),
  ];
}

/** The numbers on the service, of favourites with new numbers that it does not have yet. */
const before = new Map<string, number | undefined>();
let storing = Promise.resolve();

/**
 * Puts a favourite at a place among the others, which is seen at once, and on other devices in a
 * moment.
 */
export function moveFavourite(id: string, to: number): void {
  const room = favourites().find((one) => one.id === id);
  if (!room) return;
  const order = favourites().filter((one) => one !== room);
  order.splice(to, 0, room);
  const numbers = numbersFor(order, order.indexOf(room));
  batch(() => {
    for (const [one, place] of numbers) {
      if (!placing.has(one)) before.set(one, roomOf(one)?.place);
      placing.set(one, place);
      changeMyRoom(one, { place });
    }
  });
  announce(laterStrings.favourites.moved(safeName(room.name), order.indexOf(room) + 1, order.length));
  storing = storing.then(() => store(numbers));
}

/**
 * Stores the numbers one after the other from the top. If this fails in the middle, favourites with
 * a number still come first. Afterwards the list is read again, so that all devices show the same
 * order.
 */
async function store(numbers: ReadonlyMap<string, number>): Promise<void> {
  const isDone = await attempt(async () => {
    for (const [id, place] of numbers) {
      await storeOne(id, place);
      before.set(id, place);
    }
  });
  distrustLists();
  for (const [id, place] of numbers) {
    // It was moved again in the meantime.
    if (placing.get(id) !== place) continue;
    placing.delete(id);
    if (!isDone) changeMyRoom(id, { place: before.get(id) });
  }
  if (placing.size > 0) return;
  await sync.readRooms({ all: true }).catch(() => {});
  tell({ type: 'rooms' });
}

async function storeOne(id: string, favourite_order: number): Promise<void> {
  const params = { path: { member: roomOf(id)?.member ?? '' } };
  try {
    await ask(chat.PATCH('/api/members/{member}', { params, body: { favourite_order } }));
  } catch (failure) {
    // Another device has made it no favourite, or has left the room.
    if (!(failure instanceof Failure && [404, 409].includes(failure.status))) throw failure;
  }
}
