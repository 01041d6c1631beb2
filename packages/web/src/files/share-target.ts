/*
 * Texts and files that other apps share with the installed page. The service worker stores them
 * until the page takes them.
 */

const cacheName = 'shared';
const textPath = '/shared/text';

/** The most files that a message has. */
const mostFiles = 10;

/** Keeps the shared texts and files, in place of earlier ones. */
export async function keepShared(form: FormData): Promise<void> {
  await caches.delete(cacheName);
  const cache = await caches.open(cacheName);
  const words = ['title', 'text', 'url'].map((name) => String(form.get(name) ?? '').trim());
  await cache.put(textPath, new Response([...new Set(words)].filter(Boolean).join('\n')));
  const files = form.getAll('files').filter((one) => one instanceof File);
  for (const [at, file] of files.slice(0, mostFiles).entries()) {
    const headers = { 'Content-Type': file.type || 'application/octet-stream', 'X-Name': encodeURIComponent(file.name) };
    await cache.put(`/shared/files/${at}`, new Response(file, { headers }));
  }
}

/** Takes and removes the shared texts and files. */
export async function takeShared(): Promise<{ text: string; files: File[] }> {
  const cache = await caches.open(cacheName);
  const text = (await (await cache.match(textPath))?.text()) ?? '';
  const files: File[] = [];
  for (const request of await cache.keys()) {
    const response = await cache.match(request);
    const name = response?.headers.get('X-Name');
    if (!response || !name) continue;
    files.push(new File([await response.blob()], decodeURIComponent(name), { type: response.headers.get('Content-Type') ?? '' }));
  }
  await caches.delete(cacheName);
  return { text, files };
}
