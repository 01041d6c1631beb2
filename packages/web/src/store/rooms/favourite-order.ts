/*
 * The order of favourites. Each has a number on the account, so that moving one changes few others.
 */

/** A favourite, with its number if the user has moved it. */
type Favourite = { id: string; place?: number | undefined };

/** The distance between favourites' numbers, so that others fit between them. */
const step = 2 ** 30;

/**
 * The numbers that order the favourites after the one at `moved` was dragged there. Each number is
 * a request, so there are as few as possible. Earlier favourites without a number get one, because
 * favourites without one come last.
 */
export function numbersFor(order: readonly Favourite[], moved: number): Map<string, number> {
  const numbers = new Map<string, number>();
  let last = -1;
  for (const { id, place } of order.slice(0, moved)) {
    last = place ?? last + step;
    if (place === undefined) numbers.set(id, last);
  }
  const next = order[moved + 1]?.place ?? last + 2 * step;
  const own = last + Math.floor((next - last) / 2);
  if (own <= last || own >= next || next > Number.MAX_SAFE_INTEGER) return spread(order, moved);
  return numbers.set(order[moved]?.id ?? '', own);
}

/** Numbers for all that need one, with room between them again. */
const spread = (order: readonly Favourite[], moved: number): Map<string, number> =>
  new Map(
    order
      .filter(({ place }, at) => at <= moved || place !== undefined)
      .map(({ id }, at): [string, number] => [id, (at + 1) * step]),
  );
