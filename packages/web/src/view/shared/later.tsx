import type { ComponentChildren } from 'preact';
import { Loading } from './controls.tsx';
import { useLoaded } from './use-list.ts';

type View<P> = (props: P) => ComponentChildren;

const waiting = new Set<() => Promise<unknown>>();

/** A page that is younger, in milliseconds, is not reloaded: that would change nothing. */
const youth = 10_000;

/** Code that is loaded when it is first needed, or by `loadAhead`, so that the first message need not wait for it. */
export function lateCode<T>(load: () => Promise<T>): () => Promise<T> {
  waiting.add(load);
  return async () => {
    try {
      return await load();
    } catch (failure) {
      // A browser remembers that it could not load it, and a new version of the service has other files: the page that the
      // service has now can load it. Without a connection the page stays. Drafts are kept when it goes.
      const mayReload = performance.now() > youth && (await fetch('/', { cache: 'no-store' }).catch(() => undefined))?.ok;
      if (mayReload) location.reload();
      throw failure;
    }
  };
}

/** A view whose code is loaded late; what stands in its place meanwhile. */
export function later<P extends object>(load: () => Promise<View<P>>, Placeholder?: View<P>): View<P> {
  let known: View<P> | undefined;
  const loadOnce = lateCode(async () => {
    known ??= await load();
    return known;
  });
  return (props) => {
    const { failure, reload } = useLoaded(loadOnce, []);
    const View = known;
    if (!View && Placeholder && !failure) return <Placeholder {...props} />;
    return View ? <View {...props} /> : <Loading failure={failure} onRetry={reload} />;
  };
}

/** Loads all that was not needed yet, so that it is there without a connection as well; once there is one, as a browser remembers what failed. */
export function loadAhead(): void {
  if (!navigator.onLine) {
    addEventListener('online', loadAhead, { once: true });
    return;
  }
  // What can't be loaded now is loaded when it is needed.
  for (const load of waiting) load().catch(() => {});
}
