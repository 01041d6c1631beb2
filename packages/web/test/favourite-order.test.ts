import { describe, expect, it } from 'vitest';
import { numbersFor } from '../src/store/rooms/favourite-order.ts';

type Favourite = { id: string; place?: number | undefined };

/** The favourites as the page lists them. */
const sorted = (list: readonly Favourite[]) =>
  list.toSorted((one, other) => (one.place ?? 1 / 0) - (other.place ?? 1 / 0) || (one.id < other.id ? -1 : 1));

/** Moves one, with how many numbers that takes. */
function move(list: readonly Favourite[], from: number, to: number) {
  const order = [...list];
  order.splice(to, 0, ...order.splice(from, 1));
  const numbers = numbersFor(order, to);
  const moved = list.map((one) => ({ ...one, place: numbers.get(one.id) ?? one.place }));
  return { wanted: order.map(({ id }) => id).join(''), got: sorted(moved), count: numbers.size };
}

const ids = (list: readonly Favourite[]) => list.map(({ id }) => id).join('');
const named = [...'abcde'].map((id): Favourite => ({ id }));

describe('the numbers of favourites', () => {
  it.each([
    ['to the top', 4, 0, 'eabcd', 1],
    ['down by one, past one that has none', 0, 1, 'bacde', 2],
    ['to the end', 0, 4, 'bcdea', 5],
  ])('the numbers of favourites put a favourite that had none %s', (_where, from, to, wanted, most) => {
    const { got, count } = move(named, from, to);
    expect([ids(got), count]).toEqual([wanted, most]);
  });

  it('the numbers of favourites are changed for one favourite alone where all have one', () => {
    const all = [...'abcde'].map((id, at): Favourite => ({ id, place: at * 100 }));
    for (const [from, to] of [
      [4, 1],
      [1, 3],
      [0, 4],
    ] as const) {
      const { got, wanted, count } = move(all, from, to);
      expect([ids(got), count]).toEqual([wanted, 1]);
    }
  });

  it.each([
    ['equal, as two devices may choose', [5, 5, 5, 5, 5]],
    ['next to each other', [0, 1, 2, 3, 4]],
    ['as large as they may be', [1, 2, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]],
  ])('the numbers of favourites have any order that is wanted where they are %s', (_how, places) => {
    const list = [...'abcde'].map((id, at): Favourite => ({ id, place: places[at] }));
    for (let from = 0; from < 5; from++)
      for (let to = 0; to < 5; to++) {
        const { got, wanted } = move(list, from, to);
        expect(ids(got)).toBe(wanted);
        expect(got.every(({ place = 0 }) => Number.isSafeInteger(place) && place >= 0)).toBe(true);
      }
  });

  it('the numbers of favourites last for as many moves as one likes, each of one request but for a few', () => {
    let list = sorted(named.slice(0, 4));
    let requests = 0;
    // The worst that one can do: it is always the same gap that becomes smaller.
    for (let round = 0; round < 500; round++) {
      const { got, wanted, count } = move(list, 3, 1);
      expect(ids(got)).toBe(wanted);
      list = got;
      requests += count;
    }
    expect(requests).toBeLessThan(600);
  });
});
