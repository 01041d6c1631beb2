import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../packages/embedded-mongodb/test/support/random.ts';

/** A description of the damage, and the changed pages. Without pages, anything may be lost. */
export type Damage = { readonly what: string; readonly pages?: ReadonlySet<number> };

/** Damages a data directory. */
export type DamageKind = (directory: string, random: Random) => Damage;

const pageBytes = 4096;

const noise = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));

const headOf = (page: number): number => (page === 0 ? 100 : 0);

/**
 * A kind of damage that changes pages of the file. The function gets the whole file, and returns
 * the numbers of the pages that it changed, counting from 0.
 */
const onPages =
  (name: string, change: (file: Buffer, random: Random, pageCount: number) => number[]): DamageKind =>
  (directory, random) => {
    const path = join(directory, 'database.sqlite');
    const file = readFileSync(path);
    const changed = change(file, random, Math.floor(file.length / pageBytes));
    writeFileSync(path, file);
    const pages = new Set(changed.map((page) => page + 1));
    return { what: `${name} of pages ${[...pages].join(', ')}`, pages };
  };

const some = <T>(random: Random, most: number, make: () => T): T[] => Array.from({ length: 1 + random.below(most) }, make);

/** The pages of some types, counting from 0. */
const pagesOfType = (file: Buffer, count: number, types: readonly number[]): number[] =>
  Array.from({ length: count }, (_, page) => page).filter((page) =>
    types.includes(file[page * pageBytes + headOf(page)] as number),
  );

export const pageKinds: Readonly<Record<string, DamageKind>> = {
  bits: onPages('flipped bits', (file, random) =>
    some(random, 8, () => {
      const at = random.below(file.length);
      file[at] = (file[at] as number) ^ (1 << random.below(8));
      return Math.floor(at / pageBytes);
    }),
  ),
  bytes: onPages('changed bytes', (file, random, count) => {
    const page = random.below(count);
    some(random, 50, () => {
      file[page * pageBytes + random.below(pageBytes)] = random.below(256);
    });
    return [page];
  }),
  noise: onPages('noise', (file, random, count) =>
    some(random, 5, () => {
      const page = random.below(count);
      file.set(noise(random, pageBytes), page * pageBytes);
      return page;
    }),
  ),
  zeros: onPages('zeros', (file, random, count) =>
    some(random, 5, () => {
      const page = random.below(count);
      file.fill(0, page * pageBytes, (page + 1) * pageBytes);
      return page;
    }),
  ),
  misplaced: onPages('another page in the place', (file, random, count) =>
    some(random, 3, () => {
      const [from, to] = [random.below(count), random.below(count)];
      file.copy(file, to * pageBytes, from * pageBytes, (from + 1) * pageBytes);
      return to;
    }),
  ),
  heads: onPages('changed heads', (file, random, count) =>
    some(random, 3, () => {
      const page = random.below(count);
      file[page * pageBytes + headOf(page) + random.below(16)] = random.below(256);
      return page;
    }),
  ),
  // Links may lead to the page itself or to its ancestors.
  links: onPages('wrong links', (file, random, count) => {
    const interior = pagesOfType(file, count, [2, 5]);
    return some(random, 3, () => {
      const page = random.pick(interior);
      const head = page * pageBytes + headOf(page);
      const cells = file.readUInt16BE(head + 3);
      const cell = cells === 0 ? 0 : file.readUInt16BE(head + 12 + 2 * random.below(cells));
      const place = cell === 0 || cell > pageBytes - 4 || random.below(3) === 0 ? head + 8 : page * pageBytes + cell;
      file.writeUInt32BE(random.pick([page + 1, random.below(count) + 1, random.pick(interior) + 1, 0, 2 ** 32 - 1]), place);
      return page;
    });
  }),
  // A tree in which all pages link to the same one.
  circles: onPages('all links to one page', (file, random, count) => {
    const page = random.pick(pagesOfType(file, count, [2, 5]));
    const head = page * pageBytes + headOf(page);
    const target = random.pick([page + 1, random.pick(pagesOfType(file, count, [2, 5])) + 1, random.below(count) + 1]);
    for (let cell = 0; cell < file.readUInt16BE(head + 3); cell++) {
      const at = file.readUInt16BE(head + 12 + 2 * cell);
      if (at <= pageBytes - 4) file.writeUInt32BE(target, page * pageBytes + at);
    }
    file.writeUInt32BE(target, head + 8);
    return [page];
  }),
  cells: onPages('changed lengths and numbers', (file, random, count) => {
    const page = random.pick(pagesOfType(file, count, [2, 5, 10, 13]));
    const head = page * pageBytes + headOf(page);
    const cells = file.readUInt16BE(head + 3);
    some(random, 4, () => {
      const at = cells === 0 ? 0 : file.readUInt16BE(head + 8 + 2 * random.below(cells));
      for (let i = 0; i < 1 + random.below(9); i++)
        if (at + i < pageBytes) file[page * pageBytes + at + i] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)]);
    });
    return [page];
  }),
  overflow: onPages('links between the parts of long rows', (file, random, count) => {
    const others = Array.from({ length: count }, (_, page) => page).filter((page) => file[page * pageBytes] === 0);
    const page = random.pick(others.length > 0 ? others : [count - 1]);
    file.writeUInt32BE(random.pick([page + 1, random.below(count) + 1, 0, 2 ** 31]), page * pageBytes);
    return [page];
  }),
  free: onPages('the list of free pages', (file, random, count) => {
    file.writeUInt32BE(random.pick([1, 2, count, random.below(count), 2 ** 31]), 32);
    file.writeUInt32BE(random.pick([0, 1, 1_000, 2 ** 31]), 36);
    return [0];
  }),
  fileHead: onPages('the head of the file', (file, random) => {
    some(random, 3, () => {
      file[random.below(100)] = random.below(256);
    });
    return [0];
  }),
};

export const fileKinds: Readonly<Record<string, DamageKind>> = {
  cutOff: (directory, random) => {
    const path = join(directory, 'database.sqlite');
    const { size } = statSync(path);
    const left = random.below(2) === 0 ? random.below(size) : random.below(size / pageBytes) * pageBytes;
    truncateSync(path, left);
    return { what: `the file cut off at ${left} of ${size}` };
  },
  lengthened: (directory, random) => {
    const path = join(directory, 'database.sqlite');
    const more = random.pick([1, pageBytes, 50 * pageBytes]);
    const content = random.below(2) === 0 ? Buffer.alloc(more) : noise(random, more);
    writeFileSync(path, Buffer.concat([readFileSync(path), content]));
    return { what: `${more} bytes more`, pages: new Set() };
  },
  missing: (directory) => {
    rmSync(join(directory, 'database.sqlite'));
    return { what: 'no file' };
  },
  emptied: (directory) => {
    truncateSync(join(directory, 'database.sqlite'), 0);
    return { what: 'an empty file' };
  },
  besides: (directory, random) => {
    const name = random.pick([
      'database.sums',
      'holder.json',
      'database.sock',
      'database.sqlite.new',
      'check.0123456789ab.partial',
    ]);
    const path = join(directory, name);
    const change = random.pick(['removed', 'noise', 'cut off', 'a directory', 'huge']);
    const before = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (change === 'noise') writeFileSync(path, noise(random, Math.max(before, 100)));
    else if (change === 'cut off') writeFileSync(path, readFileOr(path).subarray(0, random.below(before + 1)));
    else rmSync(path, { recursive: true, force: true });
    if (change === 'a directory') mkdirSync(path);
    if (change === 'huge') {
      writeFileSync(path, '');
      truncateSync(path, 3e9);
    }
    return { what: `${name}: ${change}`, pages: new Set() };
  },
};

const readFileOr = (path: string): Buffer =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : Buffer.alloc(0);
