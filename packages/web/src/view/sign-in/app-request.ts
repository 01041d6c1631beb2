/* The request of an app in the address of the page, kept while its user signs in elsewhere. */

const kept = 'chat-app-request';
const names = [
  'client_id',
  'redirect_uri',
  'response_type',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'state',
  'resource',
] as const;

/** The parameters of an app's request. */
export type AppRequest = { client_id: string; redirect_uri: string } & Partial<Record<(typeof names)[number], string>>;

/** Keeps the request in this tab, and returns the path that finds it again. */
export function keepRequest(): string {
  try {
    sessionStorage.setItem(kept, location.search);
  } catch {
    // The user starts again in the app.
  }
  return '/authorize';
}

/** The request in the address, or else the one that was kept; undefined for an incomplete one. */
export function findRequest(): AppRequest | undefined {
  const sent = new URLSearchParams(location.search.length > 1 ? location.search : keptSearch());
  const given = Object.fromEntries(names.flatMap((name) => (sent.has(name) ? [[name, sent.get(name) ?? '']] : [])));
  return given.client_id && given.redirect_uri ? (given as AppRequest) : undefined;
}

function keptSearch(): string {
  try {
    return sessionStorage.getItem(kept) ?? '';
  } catch {
    return '';
  }
}
