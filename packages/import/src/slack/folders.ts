import type { Archive } from '../archive/archive.ts';
import { entryName } from '../archive/names.ts';

/** Where lists and folders of rooms are: in the root and, of Enterprise Grid, also in a folder for each workspace. */
export type Section = { prefix: string; team?: string };

/** A folder with the messages of a room, a file for each day. */
export type Folder = { prefix: string; name: string; days: string[] };

/** A room that the archive lists, and the sections that list it. */
export type ListedRoom = { id: string; name: string | undefined; sections: Section[] };

const isDay = (file: string): boolean => file.endsWith('.json') && !/canvas/i.test(file);

/** The folders with messages. Each belongs to one room at most. */
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

  /** The folders of each room, by the names and ids of rooms; and the folders that no room has. */
  match(rooms: ListedRoom[]): { foldersOf: ReadonlyMap<ListedRoom, Folder[]>; unlisted: Folder[] } {
    const found = new Map(rooms.map((room) => [room, this.#claim(room, room.sections)]));
    // Of Enterprise Grid, some lists are in the root whose folders are in a workspace, and the other way around.
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

  /** The one folder that can be meant; none if there are several. */
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

  /** What the name of a folder may be in other code pages. */
  #readingsOf({ prefix, days: [day = ''] }: Folder): string[] {
    return this.#readings(day).map((path) => path.slice(prefix.length).split('/')[0] ?? '');
  }
}

const keysOf = ({ id, name }: ListedRoom): string[] => [name, id].flatMap((one) => (one === undefined ? [] : [entryName(one)]));

/** The folders that have an export, with their `/`: one, unless somebody has packed several exports into one archive. */
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

/** Whether a folder is one of those that Slack's lists never name: of canvases, and of conversations by their ids. */
export const isNeverListed = ({ name }: Folder): boolean => /^(FC[:_-]|[CDG][A-Z0-9]{7,}$)/.test(name);
