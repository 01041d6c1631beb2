import { language } from '../account/language.ts';
import { recall, recallJson, remember } from '../device/storage.ts';
import { makeTurns } from '../device/turns.ts';
import { hasWorkers } from '../device/workers.ts';
import { languageCache } from '../i18n/languages.ts';
import { ask, chat, Failure } from '../service/api.ts';

const key = 'chat-push';

// A subscription of the page's start would overwrite a choice made meanwhile.
const inTurn = makeTurns();

/** True if the service notifies this device, also while the page is closed. */
export const isPushed = (): boolean => recall(key) === 'on';

/** Why push notifications are not available, for users who would expect them. */
export const pushLimits = {
  /** Browsers on an iPhone or iPad notify for pages on the home screen alone. */
  needsHomeScreen: () => !('PushManager' in window) && /iP(hone|ad)/.test(navigator.userAgent),
};

/**
 * Subscribes this device to push notifications; with `isTest`, the service sends one at once.
 * Returns false if the browser does not support them. Throws a `Failure` if it should work but does
 * not.
 */
export const subscribe = (of: 'mine' | 'all', { isTest = false } = {}): Promise<boolean> => inTurn(() => tellService(of, isTest));

async function tellService(of: 'mine' | 'all', isTest: boolean): Promise<boolean> {
  const registration = await worker();
  if (!registration?.pushManager) return storeState(false);
  const { key: wanted, is_subscribed, of: told } = await ask(chat.GET('/api/push-subscription'));
  const subscription = await subscriptionFor(registration.pushManager, wanted);
  const { endpoint, keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
  const body = { endpoint: endpoint ?? '', p256dh, auth, key: wanted, of, send_test: isTest };
  await tellLanguage();
  // The service has this subscription with these settings and this address.
  const isTold =
    is_subscribed && told === of && recallJson<Partial<SentSubscription>>(toldKey, {}).endpoint === body.endpoint && isRecent();
  if (isTold && !isTest) return storeState(true);
  await ask(chat.PUT('/api/push-subscription', { body }));
  remember(toldKey, JSON.stringify({ endpoint: body.endpoint, at: Date.now() } satisfies SentSubscription));
  return storeState(true);
}

/** The last push address that was sent to the service, and the time. */
type SentSubscription = { endpoint: string; at: number };
const toldKey = 'chat-push-told';

/** How long until the subscription is sent again, because the service may have lost it. */
const longestRestMs = 7 * 86_400_000;

function isRecent(): boolean {
  const { at = 0 } = recallJson<Partial<SentSubscription>>(toldKey, {});
  return at <= Date.now() && Date.now() - at < longestRestMs;
}

/** Passes the language to the service worker, which shows notifications while no page is open. */
export async function tellLanguage(): Promise<void> {
  const cache = await caches.open(languageCache);
  await cache.put('/language', new Response(language.value));
}

/** Has the service notify this device no longer. */
export function unsubscribe(): Promise<void> {
  storeState(false);
  return inTurn(async () => {
    // A subscription before this one may have stored that it is on.
    storeState(false);
    const subscription = await (await worker())?.pushManager?.getSubscription();
    await subscription?.unsubscribe();
    await ask(chat.DELETE('/api/push-subscription'));
  });
}

/** Closes the notifications of a room or thread that was read. */
export async function closeNotifications(tag: string): Promise<void> {
  const shown = (await (await worker())?.getNotifications({ tag })) ?? [];
  for (const notification of shown) notification.close();
}

function storeState(isOn: boolean): boolean {
  remember(key, isOn ? 'on' : 'off');
  return isOn;
}

/** The registered service worker; none where the browser blocks site data. */
const worker = async (): Promise<ServiceWorkerRegistration | undefined> =>
  hasWorkers() ? navigator.serviceWorker.getRegistration().catch(() => undefined) : undefined;

/** The subscription of this browser; a new one if it is missing or was made with another key. */
async function subscriptionFor(manager: PushManager, wanted: string): Promise<PushSubscription> {
  const known = await manager.getSubscription();
  if (known && keyOf(known) === wanted) return known;
  await known?.unsubscribe();
  try {
    return await manager.subscribe({ userVisibleOnly: true, applicationServerKey: wanted });
  } catch (error) {
    // The browser lacks a push service, or cannot reach it.
    throw new Failure(0, error instanceof Error ? error.message : '');
  }
}

const keyOf = ({ options: { applicationServerKey: bytes } }: PushSubscription): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
