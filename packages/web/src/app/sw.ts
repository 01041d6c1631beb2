/// <reference lib="webworker" />
import type { PushPayload } from 'chat-service-rules/push-payload';
import { keepShared } from '../files/share-target.ts';
import { type Language, languageCache } from '../i18n/languages.ts';
import { pushStrings as arabic } from '../i18n/strings-ar.ts';
import { pushStrings as german } from '../i18n/strings-de.ts';
import { pushStrings as english } from '../i18n/strings-push.ts';
import type { Words } from '../i18n/words.ts';
import { safeName } from '../text/names.ts';

/** The build inserts a version and the list of its files. */
const site = (globalThis as unknown as { builtSite: { version: string; files: string[] } }).builtSite;

const worker = self as unknown as ServiceWorkerGlobalScope;
const name = `site-${site.version}`;

// Caches a version as a whole, so that a page never gets files of another version.
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
  const url = new URL(request.url);
  const { pathname } = url;
  if (request.method === 'POST' && isPage(url) && pathname === '/share') return event.respondWith(takeIn(request));
  if (request.method !== 'GET' || !isPage(url)) return;
  if (request.mode === 'navigate') event.respondWith(navigate(request));
  else if (pathname.startsWith('/assets/') || pathname === '/icon.svg') event.respondWith(fromCache(request));
});

/** Stores shared content of another app, and redirects to the page that asks for a room. */
async function takeIn(request: Request): Promise<Response> {
  await keepShared(await request.formData());
  return Response.redirect('/share', 303);
}

/** True for an address of the page or its files, false for the API and the documentation. */
const isPage = ({ pathname, origin }: URL): boolean =>
  origin === location.origin && !pathname.startsWith('/api/') && !pathname.startsWith('/docs');

/** The statuses of a proxy whose service is out of reach. */
const proxyFailures = [502, 503, 504];

/** The page as the service has it, or as it was if the service is out of reach. */
async function navigate(request: Request): Promise<Response> {
  const response = await fetch(request).catch(() => undefined);
  if (response && !proxyFailures.includes(response.status)) return response;
  return (await caches.match('/')) ?? response ?? Response.error();
}

const fromCache = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);

/**
 * The data of a notification: its address, and the last place that it announces, in a room or a
 * thread. A reminder lacks the place.
 */
type ShownPlace = { path: string; seq: number; room?: string; thread?: string | undefined };

worker.addEventListener('push', (event) => {
  event.waitUntil(show(event.data?.json() as PushPayload));
});

const words: Record<Language, Words['pushStrings']> = { en: english, de: german, ar: arabic };

/** The texts of notifications, in the page's last language. */
async function spokenWords(): Promise<Words['pushStrings']> {
  const known = await (await caches.open(languageCache)).match('/language');
  return known ? words[(await known.text()) as Language] : english;
}

/** Shows a push. A browser revokes the permission of a worker that shows nothing. */
async function show(push: PushPayload): Promise<void> {
  const pushStrings = await spokenWords();
  if (push.type === 'test') return worker.registration.showNotification(pushStrings.test, { tag: 'test', icon: '/icon.svg' });
  const { room, seq, thread, text = pushStrings.hidden } = push;
  const isReminder = push.type === 'reminder';
  const count = isReminder ? 1 : push.count;
  const tag = isReminder ? `reminder ${room} ${seq}` : (thread ?? room);
  const shown = (await worker.registration.getNotifications({ tag }))[0]?.data as ShownPlace | undefined;
  // The service sends again what it may have sent before it died.
  const isKnown = shown !== undefined && shown.seq >= seq;
  const author = safeName(push.author);
  const name = push.room_name !== undefined && safeName(push.room_name);
  const from = name ? (thread ? pushStrings.repliedIn : pushStrings.from)(author, name) : author;
  const title = isReminder ? pushStrings.reminder(from) : from;
  const path = thread ? `/rooms/${room}?thread=${thread}&reply=${seq}` : `/rooms/${room}/${seq}`;
  await worker.registration.showNotification(title, {
    body: count > 1 ? `${text}\n${pushStrings.more(count - 1)}` : text,
    tag,
    icon: '/icon.svg',
    data: { path, seq, ...(!isReminder && { room, thread }) } satisfies ShownPlace,
    silent: isKnown,
    ...(!isKnown && { renotify: true }),
  } as NotificationOptions);
  await showCount();
  if (await closeRead(tag)) await showCount();
}

/** Shows on the icon how many notifications there are. */
async function showCount(): Promise<void> {
  const all = await worker.registration.getNotifications();
  await (worker.navigator as { setAppBadge?: (count: number) => Promise<void> }).setAppBadge?.(all.length);
}

/**
 * Closes other notifications whose room or thread was read on another device, or left. It only runs
 * after showing one, because browsers revoke the permission of a push that shows nothing. If the
 * service cannot be reached, notifications stay. Resolves to true if it closed some.
 */
async function closeRead(justShown: string): Promise<boolean> {
  const shown = (await worker.registration.getNotifications()).filter(
    ({ tag, data }) => tag !== justShown && (data as ShownPlace | null)?.room !== undefined,
  );
  if (shown.length === 0) return false;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * spread));
  const mine = shown.some(({ data }) => !data.thread)
    ? await read<Marker[]>(`/api/members?user=me&limit=${mostRooms}`)
    : undefined;
  const isRead = async ({ room, thread, seq }: ShownPlace): Promise<boolean> => {
    if (thread) return ((await read<Marker>(`/api/threads/${thread}`))?.last_read ?? 0) >= seq;
    if (!mine) return false;
    const marker = mine.find((one) => one.room?.$oid === room);
    return marker ? (marker.last_read ?? 0) >= seq : mine.length < mostRooms;
  };
  let isChanged = false;
  for (const notification of shown.slice(0, mostAsked))
    if (await isRead(notification.data)) {
      notification.close();
      isChanged = true;
    }
  return isChanged;
}

/**
 * The period over which up to a thousand devices spread their requests after one push. A browser
 * may end the worker of a push after 30 seconds.
 */
const spread = 20_000;

type Marker = { room?: { $oid: string }; last_read?: number };

/**
 * How many rooms a page of the list has, the most recently active first; and of how many
 * notifications one asks.
 */
const mostRooms = 200;
const mostAsked = 20;

/** Asks the service; undefined if the request fails, e.g. after a sign-out. */
async function read<T>(path: string): Promise<T | undefined> {
  try {
    const response = await fetch(path, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

// The browser has ended the subscription, or given it another address.
worker.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(subscribeAnew());
});

/**
 * Sends the new subscription to the service, because nobody may open the page before the next
 * message.
 */
async function subscribeAnew(): Promise<void> {
  const known = await read<{ key: string; of: string | null }>('/api/push-subscription');
  if (!known) return;
  const { pushManager } = worker.registration;
  const { endpoint, keys } = (
    (await pushManager.getSubscription()) ??
    (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: known.key }))
  ).toJSON();
  // A push service that no longer knew the earlier one may have had the service forget it; the page
  // corrects the choice.
  const body = JSON.stringify({ endpoint, ...keys, key: known.key, of: known.of ?? 'mine' });
  await fetch('/api/push-subscription', { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
}

worker.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  const path = (notification.data as ShownPlace | undefined)?.path ?? '/';
  const open = async () => {
    // Also pages that were loaded without this worker.
    const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const pages = windows.filter(({ url }) => isPage(new URL(url)));
    const page = pages.find(({ focused }) => focused) ?? pages[0];
    if (!page) return worker.clients.openWindow(path);
    page.postMessage({ open: path });
    return page.focus();
  };
  event.waitUntil(open());
});
