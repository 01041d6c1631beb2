import type { Archive } from '../archive/archive.ts';
import { entryName } from '../archive/names.ts';

/**
 * A place of room lists and room folders: the root and, for Enterprise Grid, also a folder for each
 * workspace.
 */
export type Section = { prefix: string; team?: string };

/** A folder with the messages of a room, one file per day. */
export type Folder = { prefix: string; name: string; days: string[] };

/** A listed room, and the sections that list it. */
export type ListedRoom = { id: string; name: string | undefined; sections: Section[] };

const isDay = (file: string): boolean => file.endsWith('.json') && !/canvas/i.test(file);

/** The folders with messages. Each belongs to at most one room. */
export class SlackFolders {
  readonly #folders = new Map<string, Folder>();
  readonly #readings: (name: string) => string[];
  readonly #claimed = new Set<Folder>();

  constructor({ names, readings }: Pick<Archive, 'names' | 'readings'>, sections: Section[]) {
    this.#readings = readings;
    const prefixes = sections.map(({ prefix }) => prefix).sort((one, other) => other.length - one.length);
    for (const path of names) {
      const prefix = prefixes.find((one) => path.startsWith(one));
      const [, name, file] = prefix === undefined ? [] : (/^([^/]+)\/([^/]+)$/.exec(path.slice(prefix.length)) ?? []);
      if (prefix === undefined || name === undefined || file === undefined || !isDay(file)) continue;
      const folder = this.#folders.get(prefix + name) ?? { prefix, name, days: [] };
      folder.days.push(path);
      this.#folders.set(prefix + name, folder);
    }
  }

  /** The folders of each room, matched by name or id; and the folders without a room. */
  match(rooms: ListedRoom[]): { foldersOf: ReadonlyMap<ListedRoom, Folder[]>; unlisted: Folder[] } {
    const found = new Map(rooms.map((room) => [room, this.#claim(room, room.sections)]));
    // In Enterprise Grid, a list may be in the root and its folders in a workspace, or the other
    // way around.
    for (const [room, folders] of found) if (folders.length === 0) found.set(room, this.#claimElsewhere(room));
    return { foldersOf: found, unlisted: [...this.#folders.values()].filter((folder) => !this.#claimed.has(folder)) };
  }

  #claim(room: ListedRoom, sections: Section[]): Folder[] {
    return sections.flatMap(({ prefix }) => {
      const folder = keysOf(room)
        .map((key) => this.#folders.get(prefix + key))
        .find((one) => one !== undefined && !this.#claimed.has(one));
      if (folder) this.#claimed.add(folder);
      return folder ?? [];
    });
  }

  /** The only folder that matches; none if there are several. */
  #claimElsewhere(room: ListedRoom): Folder[] {
    const keys = keysOf(room);
    const free = [...this.#folders.values()].filter((folder) => !this.#claimed.has(folder));
    const named = free.filter(({ name }) => keys.includes(name));
    const meant = named.length > 0 ? named : free.filter((folder) => this.#readingsOf(folder).some((one) => keys.includes(one)));
    const [only] = meant;
    if (!only || meant.length > 1) return [];
    this.#claimed.add(only);
    return [only];
  }

  /** The name of a folder in other code pages. */
  #readingsOf({ prefix, days: [day = ''] }: Folder): string[] {
    return this.#readings(day).map((path) => path.slice(prefix.length).split('/')[0] ?? '');
  }
}

const keysOf = ({ id, name }: ListedRoom): string[] => [name, id].flatMap((one) => (one === undefined ? [] : [entryName(one)]));

/**
 * The folders that contain an export, with their `/`. There is one, unless several exports were
 * packed into one archive.
 */
export function rootsOf({ names }: Pick<Archive, 'names'>): string[] {
  const lists = names.filter((name) => /(^|\/)(users|org_users|channels)\.json$/.test(name));
  const roots = new Set(lists.map((name) => name.replace(/(teams\/[^/]+\/)?[^/]+$/, '')));
  const depthOf = (root: string) => root.split('/').length;
  const least = Math.min(...[...roots].map(depthOf));
  return [...roots].filter((root) => depthOf(root) === least);
}

/** The sections of the export in a folder. */
export function sectionsOf({ names }: Pick<Archive, 'names'>, root: string): Section[] {
  const teams = new Set(
    names.flatMap((name) => {
      const [, team] = name.startsWith(root) ? (/^teams\/([^/]+)\/[^/]+\.json$/.exec(name.slice(root.length)) ?? []) : [];
      return team ?? [];
    }),
  );
  return [{ prefix: root }, ...[...teams].sort().map((team) => ({ prefix: `${root}teams/${team}/`, team }))];
}

/**
 * True if Slack's lists never contain this folder: those of canvases, and of conversations by id.
 */
export const isNeverListed = ({ name }: Folder): boolean => /^(FC[:_-]|[CDG][A-Z0-9]{7,}$)/.test(name);
