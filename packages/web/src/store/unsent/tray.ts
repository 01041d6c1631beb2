import { signal } from '@preact/signals';
import type { UnsentFile } from '../kept.ts';

/**
 * A file for the next message. `ready` resolves to the prepared file, or to nothing if it cannot be
 * read; `file` is the prepared file, once available.
 */
export type TrayItem = {
  key: string;
  name: string;
  size: number;
  ready: Promise<UnsentFile | undefined>;
  file?: UnsentFile | undefined;
};

const trays = signal<Readonly<Record<string, readonly TrayItem[]>>>({});

/** The files for the next message of a room or a thread. */
export const trayOf = (place: string): readonly TrayItem[] => trays.value[place] ?? [];

export const setTray = (place: string, items: readonly TrayItem[]): void => {
  trays.value = { ...trays.value, [place]: items };
  // Files that wait are in memory alone: the browser asks before they are lost.
  window.onbeforeunload = Object.values(trays.value).some(({ length }) => length > 0) ? (event) => event.preventDefault() : null;
};

/** Empties all trays: their content belongs to one account. */
export const resetTrays = (): void => {
  trays.value = {};
  window.onbeforeunload = null;
};

/** Files that are being added to trays. A message that is sent in the meantime waits for them. */
const adding = new Set<Promise<unknown>>();

/** Records work that adds something to a tray. */
export function noteAdding(work: Promise<unknown>): void {
  adding.add(work);
  void work.finally(() => adding.delete(work));
}

/** True if the next message has files. */
export const hasTray = (place: string): boolean => trayOf(place).length > 0 || adding.size > 0;

let taken: Promise<unknown> = Promise.resolve();

/**
 * Empties a tray; resolves to its files when they are ready. Earlier trays resolve first, so that
 * messages stay in order.
 */
export function takeTray(place: string): Promise<UnsentFile[]> {
  const take = () => {
    const items = trayOf(place);
    if (items.length > 0) setTray(place, []);
    return items;
  };
  const items = adding.size > 0 ? Promise.all(adding).then(take) : take();
  const files = taken.then(async () => {
    const all = await Promise.all((await items).map(({ ready }) => ready));
    return all.filter((file) => file !== undefined);
  });
  taken = files;
  return files;
}
