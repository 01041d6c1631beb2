import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import type { Id } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import type { Page } from '../../store/read-page.ts';
import { attempt, Loading } from './controls.tsx';
import { useLoaded } from './use-list.ts';

/** An item of a list. An item that can be replaced has an id. */
type ListItem = { _id: Id } | { seq: number };

type PagesProps<T> = {
  read: (after?: string) => Promise<Page<T>>;
  /** The input of the list. */
  input: unknown;
  none: string;
  /** Draws the list. `replace` puts another item in the place of one, or removes it. */
  children: (list: readonly T[], replace: (one: T, other: T | undefined) => void) => ComponentChildren;
};

const isSame = (one: ListItem, other: ListItem) => '_id' in one && '_id' in other && idOf(one) === idOf(other);

/** A list, page by page. */
export function Pages<T extends ListItem>({ read, input, none, children }: PagesProps<T>) {
  const { value, failure, reload, change } = useLoaded(() => read(), [input]);
  const present = useRef(input);
  present.current = input;
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  // Meanwhile other items may have gone, or the list may have been loaded again.
  const replace = (one: T, other: T | undefined) =>
    change(({ list, next }) => ({ list: list.flatMap((item) => (isSame(item, one) ? (other ?? []) : item)), next }));
  const more = async () => {
    const { next } = value;
    const page = await read(next);
    // A page of an earlier input may begin at the same place.
    if (present.current !== input) return;
    change((now) => (now.next === next ? { list: [...now.list, ...page.list], next: page.next } : now));
  };
  return (
    <>
      {value.list.length === 0 && value.next === undefined ? (
        <p class="muted center">{none}</p>
      ) : (
        <ul class="listed">{children(value.list, replace)}</ul>
      )}
      {value.next !== undefined && (
        <button type="button" onClick={() => void attempt(more)}>
          {strings.app.more}
        </button>
      )}
    </>
  );
}
