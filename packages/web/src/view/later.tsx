import type { ComponentChildren } from 'preact';
import { Loading } from './controls.tsx';
import { useLoaded } from './use-list.ts';

type View<P> = (props: P) => ComponentChildren;

const waiting = new Set<() => Promise<unknown>>();

/** A view whose code is loaded when it is first shown, or by `loadAhead`, so that the first message need not wait for it. */
export function later<P extends object>(load: () => Promise<View<P>>): View<P> {
  let known: View<P> | undefined;
  const loadOnce = async () => {
    known ??= await load();
    waiting.delete(loadOnce);
    return known;
  };
  waiting.add(loadOnce);
  return (props) => {
    const { failure, reload } = useLoaded(loadOnce, []);
    const View = known;
    return View ? <View {...props} /> : <Loading failure={failure} onRetry={reload} />;
  };
}

/** Loads the code of all views, so that they open without a connection as well. */
export function loadAhead(): void {
  // A view that can't be loaded now is loaded when it is shown.
  for (const load of waiting) load().catch(() => {});
}
