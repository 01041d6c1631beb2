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
  guardPage();
};

/** Empties all trays: their content belongs to one account. */
export const resetTrays = (): void => {
  trays.value = {};
  guardPage();
};

/** Files that are in memory alone: the browser asks before they are lost. */
function guardPage(): void {
  const hasFiles = holding.size > 0 || Object.values(trays.value).some(({ length }) => length > 0);
  window.onbeforeunload = hasFiles ? (event) => event.preventDefault() : null;
}

/** Work with files that are in no tray: they are being added, or stored with their message. */
const holding = new Set<Promise<unknown>>();

/** Has the browser ask before the page is left during this work. Returns the work. */
export function holdPage<T>(work: Promise<T>): Promise<T> {
  holding.add(work);
  guardPage();
  const end = () => {
    holding.delete(work);
    guardPage();
  };
  work.then(end, end);
  return work;
}

/** Files that are being added to trays. A message that is sent in the meantime waits for them. */
const adding = new Set<Promise<unknown>>();

/** Records work that adds something to a tray. */
export function noteAdding(work: Promise<unknown>): void {
  adding.add(holdPage(work));
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
  return holdPage(files);
}
