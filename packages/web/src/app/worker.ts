/* The service worker: the page opens without a connection, too. */

import { hasWorkers } from '../device/workers.ts';

type Policies = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ) => { createScriptURL: (address: string) => unknown };
};

/** Registers the worker, if the browser allows it: over https, and on localhost. */
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
 * Calls `go` with the address of a notification that is clicked while the page is open. Call it at
 * the start. Messages from before the document is complete are queued; later ones are lost if
 * nobody listens.
 */
export function followClicks(go: (path: string) => void): void {
  if (!hasWorkers()) return;
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (typeof data?.open === 'string') go(data.open);
  });
}
