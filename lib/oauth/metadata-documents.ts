import { isObject, parseJson } from 'chat-service-rules/objects';
import { nameText } from '../api/parameters.ts';
import { HttpError } from '../base/errors.ts';
import { LruCache } from '../base/lru-cache.ts';
import { waitOutside } from '../base/outside.ts';
import { readAtMost } from '../base/read-at-most.ts';
import { get, isNamed } from '../net/outbound.ts';
import { inTurn } from '../net/per-host.ts';
import { config } from '../settings/config.ts';
import { isRedirectUri } from './redirect-uris.ts';

/*
 * Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document): the client id of an
 * app is the address of a document that describes it. So the host of the address vouches for the
 * name and the redirect URIs.
 */

/** An app that may ask people for access. */
export type App = {
  clientId: string;
  name: string;
  /** The host that vouches for it; null for an app that an administrator registered. */
  host: string | null;
  redirectUris: string[];
};

const mostBytes = 16_384;
const mostUris = 50;
const cachedMs = 3_600_000;
/** A fault may end soon, but its app must not make the service ask all the time. */
const faultCachedMs = 30_000;

type Outcome = { app: App } | { fault: HttpError };
const cache = new LruCache<{ outcome: Outcome; until: number }>(500);

const documentInvalid = (problem: string) =>
  new HttpError(400, {
    title: 'Invalid parameter',
    description: `The client metadata document of the app ${problem}.`,
    code: 'app_document_invalid',
  });
/** 400: the document of the app cannot be read, or breaks a rule. */
export const appDocumentInvalid = (): HttpError => documentInvalid('cannot be reached');

/** Whether a client id is the address of a document. */
export const isDocumentAddress = (clientId: string): boolean => {
  const url = URL.parse(clientId);
  // The address is compared as a text, so only its canonical form is accepted.
  if (!url || url.href !== clientId || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  return (url.protocol === 'https:' || isNamed(config.oauthHosts, url)) && url.pathname !== '/';
};

/** The app that a document describes. It is read at most once an hour by each process. */
export async function readDocument(clientId: string, payer: string): Promise<App> {
  const known = cache.get(clientId);
  if (known && performance.now() < known.until) {
    cache.touch(clientId);
    return appOf(known.outcome);
  }
  const outcome: Outcome = await fetchApp(new URL(clientId), payer).then(
    (app) => ({ app }),
    (fault) => {
      if (fault instanceof HttpError && fault.status !== 400) throw fault;
      return { fault: fault instanceof HttpError ? fault : appDocumentInvalid() };
    },
  );
  cache.set(clientId, { outcome, until: performance.now() + ('app' in outcome ? cachedMs : faultCachedMs) });
  return appOf(outcome);
}

function appOf(outcome: Outcome): App {
  if ('fault' in outcome) throw outcome.fault;
  return outcome.app;
}

async function fetchApp(url: URL, payer: string): Promise<App> {
  const sending = {
    headers: { accept: 'application/json' },
    mayBeInner: isNamed(config.oauthHosts, url),
    longest: config.patienceMs.receiver,
    payer,
  };
  const text = await waitOutside('receiver', () =>
    inTurn(url.host, async () => {
      const { status, body } = await get(url, sending);
      const tooLarge = () => documentInvalid(`has more than ${mostBytes} bytes`);
      if (status === 200 && Number(body.headers['content-length'] ?? 0) <= mostBytes)
        return (await readAtMost(body, mostBytes, tooLarge)).toString();
      body.destroy();
      throw status === 200 ? tooLarge() : documentInvalid(`is answered with ${status}`);
    }),
  );
  return readApp(url, text);
}

function readApp(url: URL, text: string): App {
  const document = parseJson(text);
  if (!isObject(document)) throw documentInvalid('is not a JSON object');
  if (document.client_id !== url.href) throw documentInvalid('has another client_id');
  const { redirect_uris: uris } = document;
  if (!isPublic(document)) throw documentInvalid('asks for client authentication; only public clients (`none`) are supported');
  const accepted = Array.isArray(uris)
    ? uris.slice(0, mostUris).filter((uri) => typeof uri === 'string' && isRedirectUri(uri, { isRegistered: false }))
    : [];
  if (accepted.length === 0) throw documentInvalid('lacks usable redirect_uris');
  const name = appName.read(document.client_name) ?? url.host;
  return { clientId: url.href, name, host: url.host, redirectUris: accepted as string[] };
}

/**
 * True if an app can be a public client. Some apps prefer to sign, and say in a second list that
 * they need not.
 */
const isPublic = ({
  token_endpoint_auth_method: preferred = 'none',
  token_endpoint_auth_methods_supported: all,
}: Record<string, unknown>) => preferred === 'none' || (Array.isArray(all) && all.includes('none'));

/** The name of an app. A token's name has it, and a number if need be. */
export const appName = nameText(1, 80);
