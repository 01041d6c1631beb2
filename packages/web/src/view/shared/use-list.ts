import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { attempt } from './controls.tsx';

/**
 * A value that is loaded for a view: undefined while it is loading, or the reason why that failed.
 */
type LoadedValue<T> = {
  value: T | undefined;
  failure: unknown;
  /** True while the value is being loaded again. */
  isStale: boolean;
  reload: () => void;
  /** Makes another value of the present one, which may have changed since the view was drawn. */
  change: (make: (value: T) => T) => void;
  /** As `change`, but also if loading it has failed. */
  extend: (make: (value: T | undefined) => T) => void;
};

/** `inputs` are those of the last load that has ended. */
type LoadState<T> = { value?: T; failure?: unknown; inputs?: readonly unknown[] };

/** Loads something when a view appears, and again when one of `inputs` changes. */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): LoadedValue<T> {
  const [state, setState] = useState<LoadState<T>>({});
  const [turn, setTurn] = useState(0);
  const wanted = [...inputs, turn];
  useEffect(() => {
    let isWanted = true;
    load().then(
      (value) => isWanted && setState({ value, inputs: wanted }),
      (failure) => isWanted && setState({ failure, inputs: wanted }),
    );
    return () => {
      isWanted = false;
    };
  }, wanted);
  return {
    value: state.value,
    failure: state.failure,
    isStale: !state.inputs || wanted.some((input, at) => input !== state.inputs?.[at]),
    reload: () => setTurn((before) => before + 1),
    change: (make) => setState((now) => (now.value ? { ...now, value: make(now.value) } : now)),
    extend: (make) => setState((now) => ({ ...now, value: make(now.value) })),
  };
}

type PageWithNext = { next: string | undefined };

type NextPageProps<T extends PageWithNext> = {
  /** The list. */
  page: T | undefined;
  list: Pick<LoadedValue<T>, 'isStale' | 'extend'>;
  /** Identifies the list. A press on one list does not change another. */
  question: unknown;
  /** Reads the next page; returns how to add it to the list as it is by then. */
  read: (page: T) => Promise<(now: T) => T>;
};

/**
 * Reads the next page of a list when the returned function is called. If the list is being read
 * again, or is read again meanwhile, it reads the next page of the new list.
 */
export function useNextPage<T extends PageWithNext>({
  page,
  list: { isStale, extend },
  question,
  read,
}: NextPageProps<T>): () => void {
  const [wish, setWish] = useState<{ question: unknown }>();
  const isWished = wish !== undefined && wish.question === question;
  // A layout effect ends before another page can arrive.
  useLayoutEffect(() => {
    if (!isWished || isStale || page === undefined) return undefined;
    // The list may have become shorter.
    if (page.next === undefined) return setWish(undefined);
    let isWanted = true;
    const add = async () => {
      const added = await read(page);
      if (isWanted) extend((now = page) => added(now));
    };
    void attempt(add).then(() => isWanted && setWish(undefined));
    return () => {
      isWanted = false;
    };
  }, [isWished, isStale]);
  // The user may return to this list later.
  useLayoutEffect(() => () => setWish((now) => (now?.question === question ? undefined : now)), [question]);
  return () => setWish({ question });
}
