const waiting = new Set<() => Promise<unknown>>();

/** A page younger than this is not reloaded: that would change nothing. */
const youthMs = 10_000;

/** True if the browser would ask the user before it leaves the page. */
const wouldAsk = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));

/**
 * Code that is loaded on first use, or by `loadAhead`, so that the first message does not wait for
 * it.
 */
export function lateCode<T>(load: () => Promise<T>): () => Promise<T> {
  waiting.add(load);
  return async () => {
    try {
      return await load();
    } catch (failure) {
      // Browsers remember a failed import, and a new version of the service has other files:
      // reloading the page helps with both. Without a connection, the page stays. Drafts survive
      // the reload; where something else would be lost, such as chosen files, the page stays too.
      const mayReload = performance.now() > youthMs && (await fetch('/', { cache: 'no-store' }).catch(() => undefined))?.ok;
      if (mayReload && !wouldAsk()) location.reload();
      throw failure;
    }
  };
}

/**
 * Loads all late code, so that it works offline too. Waits for a connection, because browsers
 * remember a failed import.
 */
export function loadAhead(): void {
  if (!navigator.onLine) {
    addEventListener('online', loadAhead, { once: true });
    return;
  }
  // Code that fails to load now is loaded when it is needed.
  for (const load of waiting) load().catch(() => {});
}
