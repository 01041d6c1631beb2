/// <reference lib="webworker" />

/** What the build puts in: a version, and the files of it. */
const site = (globalThis as unknown as { builtSite: { version: string; files: string[] } }).builtSite;

const worker = self as unknown as ServiceWorkerGlobalScope;
const name = `site-${site.version}`;

// One version as a whole: a page never gets the files of another.
worker.addEventListener('install', (event) => {
  const keep = async () => {
    const cache = await caches.open(name);
    await cache.addAll(['/', ...site.files, '/icon.svg', '/manifest.webmanifest']);
    await worker.skipWaiting();
  };
  event.waitUntil(keep());
});

worker.addEventListener('activate', (event) => {
  const clean = async () => {
    const old = (await caches.keys()).filter((key) => key.startsWith('site-') && key !== name);
    await Promise.all(old.map((key) => caches.delete(key)));
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || pathname.startsWith('/api/') || pathname.startsWith('/docs'))
    return;
  if (request.mode === 'navigate') event.respondWith(navigate(request));
  else if (pathname.startsWith('/assets/') || pathname === '/icon.svg') event.respondWith(fromCache(request));
});

/** The page as the service has it, or as it was when there is no connection. */
async function navigate(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match('/')) ?? Response.error();
  }
}

const fromCache = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);
