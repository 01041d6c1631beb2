import type { ComponentChildren } from 'preact';
import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import type { Id } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { appended, type Page } from '../../store/read-page.ts';
import { Loading } from './controls.tsx';
import { useLoaded, useNextPage } from './use-list.ts';

type PagesProps<T> = {
  read: (after?: string) => Promise<Page<T>>;
  /** Another list is read when it changes. */
  input?: unknown;
  /** A change of it reads the same list again. */
  turn?: unknown;
  none: string;
  /** Keeps the pages for when the list is drawn again, beside a room that it led to. */
  kept?: KeptList<T>;
  /** Draws the list. `replace` puts another item in the place of one, or removes it. */
  children: (list: readonly T[], replace: (one: T, other: T | undefined) => void) => ComponentChildren;
};

type KeptList<T> = { name: string; id: (item: T) => string };

/** The pages that each kept list has read last. */
const keptPages = new Map<string, Page<unknown>>();

type ItemWithId = { _id: Id };

/** An item that can be replaced has an id. */
const isSame = (one: object, other: object) =>
  '_id' in one && '_id' in other && idOf(one as ItemWithId) === idOf(other as ItemWithId);

/** A list, page by page. */
export function Pages<T extends object>({ read, input, turn, none, kept, children }: PagesProps<T>) {
  const key = kept && `${idOf(me())} ${kept.name}`;
  const known = () => (key === undefined ? undefined : (keptPages.get(key) as Page<T> | undefined));
  const keep = (page: Page<T>) => {
    if (key !== undefined) keptPages.set(key, page);
    return page;
  };
  const load = async () => {
    const first = await read();
    return keep(kept ? withLaterPages(first, known(), kept.id) : first);
  };
  const loaded = useLoaded(load, [key, input, turn]);
  const { value, failure, reload, change } = loaded;
  const page = value ?? known();
  const readNext = async ({ next }: Page<T>) => {
    const added = await read(next);
    return (now: Page<T>) => keep(appended(now, added));
  };
  const more = useNextPage({ page, list: loaded, question: input, read: readNext });
  if (!page) return <Loading failure={failure} onRetry={reload} />;
  // Meanwhile other items may have gone, or the list may have been loaded again.
  const replace = (one: T, other: T | undefined) =>
    change(({ list, next }) => ({ list: list.flatMap((item) => (isSame(item, one) ? (other ?? []) : item)), next }));
  return (
    <>
      {page.list.length === 0 && page.next === undefined ? <p class="muted center">{none}</p> : children(page.list, replace)}
      {page.next !== undefined && (
        <button type="button" onClick={more}>
          {strings.app.more}
        </button>
      )}
    </>
  );
}

/** The first page, and the loaded later pages if they still follow it. */
function withLaterPages<T>(first: Page<T>, before: Page<T> | undefined, id: (item: T) => string): Page<T> {
  const last = first.list.at(-1);
  const at = last && before ? before.list.findIndex((item) => id(item) === id(last)) : -1;
  return before && at >= 0 ? { list: [...first.list, ...before.list.slice(at + 1)], next: before.next } : first;
}
