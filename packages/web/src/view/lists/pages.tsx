import type { ComponentChildren } from 'preact';
import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { idOf } from '../../service/ids.ts';
import type { Page } from '../../store/read-page.ts';
import { attempt, Loading } from '../shared/controls.tsx';
import { useLoaded } from '../shared/use-list.ts';

/**
 * The pages that each list read last, kept for when the list is drawn again beside a room that it
 * led to.
 */
const lastRead = new Map<string, Page<unknown>>();

type PagesProps<T> = {
  name: string;
  read: (after?: string) => Promise<Page<T>>;
  none: string;
  news?: unknown;
  id: (item: T) => string;
  children: (list: readonly T[]) => ComponentChildren;
};

/** A list, page by page, which is read again when there are `news`. */
export function Pages<T>({ name, read, none, news, id, children }: PagesProps<T>) {
  const key = `${idOf(me())} ${name}`;
  const known = () => lastRead.get(key) as Page<T> | undefined;
  const { value, failure, reload, set } = useLoaded(async () => cachePage(key, goingOn(await read(), known(), id)), [key, news]);
  const page = value ?? known();
  if (!page) return <Loading failure={failure} onRetry={reload} />;
  const more = async () => {
    const next = await read(page.next);
    set(cachePage(key, { list: [...page.list, ...next.list], next: next.next }));
  };
  return (
    <div class="side-content">
      {page.list.length === 0 ? <p class="muted center">{none}</p> : children(page.list)}
      {page.next !== undefined && (
        <button type="button" onClick={() => void attempt(more)}>
          {strings.app.more}
        </button>
      )}
    </div>
  );
}

function cachePage<T>(key: string, page: Page<T>): Page<T> {
  lastRead.set(key, page);
  return page;
}

/** The first page, and the loaded later pages if they still follow it. */
function goingOn<T>(first: Page<T>, before: Page<T> | undefined, id: (item: T) => string): Page<T> {
  const last = first.list.at(-1);
  const at = last && before ? before.list.findIndex((item) => id(item) === id(last)) : -1;
  return before && at >= 0 ? { list: [...first.list, ...before.list.slice(at + 1)], next: before.next } : first;
}
