/* The service worker: the page opens without a connection, too. */

type Policies = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ) => { createScriptURL: (address: string) => unknown };
};

/** Registers it, where the browser allows one: over https, and on this machine. */
export function keepOffline(): void {
  if (!hasWorkers() || import.meta.env?.DEV) return;
  const register = () => {
    const { trustedTypes } = window as unknown as { trustedTypes?: Policies };
    const policy = trustedTypes?.createPolicy('service-worker', { createScriptURL: () => '/sw.js' });
    const address = (policy?.createScriptURL('/sw.js') ?? '/sw.js') as string;
    navigator.serviceWorker.register(address).catch(() => {});
  };
  if (document.readyState === 'complete') register();
  else addEventListener('load', register);
}

/**
 * Calls `go` with where a notification leads that was clicked while the page is open. Called as the
 * page starts: what comes before its document is complete waits for that, and what comes after that
 * with nobody listening is lost.
 */
export function followClicks(go: (path: string) => void): void {
  if (!hasWorkers()) return;
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (typeof data?.open === 'string') go(data.open);
  });
}

/** Whether there are service workers. Where site data is blocked, even asking may throw. */
function hasWorkers(): boolean {
  try {
    return 'serviceWorker' in navigator && navigator.serviceWorker !== undefined;
  } catch {
    return false;
  }
}
