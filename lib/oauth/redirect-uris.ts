/** The longest redirect URI, in characters. */
const longest = 2_000;

/** Schemes that a browser handles itself; every other may belong to an app of the device. */
const ofBrowsers = new Set(
  'about blob chrome chrome-extension data file filesystem ftp http https javascript mailto moz-extension resource sms tel vbscript view-source ws wss'.split(
    ' ',
  ),
);

/** An address of the device itself, where any port is the same address (RFC 8252, 7.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;

/**
 * Whether an app may have a redirect URI: https, or an address of the device. Only an app that an
 * administrator registered may have a scheme of its own, which any app of a device can claim.
 */
export function isRedirectUri(uri: string, { isRegistered }: { isRegistered: boolean }): boolean {
  if (uri.length > longest || !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(uri) || uri.includes('#')) return false;
  const url = URL.parse(uri);
  if (url?.username !== '' || url.password !== '') return false;
  // A text such as `https:host` leads to a host that it does not seem to name.
  if (url.protocol === 'https:') return /^https:\/\/[^/]/.test(uri);
  return loopback.test(uri) || (isRegistered && !ofBrowsers.has(url.protocol.slice(0, -1)));
}

/**
 * Whether a redirect URI is one of an app: the same text, except for the port of the device's own
 * address.
 */
export const isAmong = (uri: string, listed: readonly string[]): boolean =>
  URL.canParse(uri) && listed.some((one) => one === uri || (loopback.test(one) && withoutPort(one) === withoutPort(uri)));

const withoutPort = (uri: string) => uri.replace(loopback, '$1$2');

/** Whether a redirect URI leads to the device of the user. */
export const isOnDevice = (uri: string): boolean => URL.parse(uri)?.protocol !== 'https:';

/** The host that gets the response, or the scheme of an app. */
export function receiverOf(uri: string): string {
  const { host, protocol } = new URL(uri);
  return host || protocol.slice(0, -1);
}

/** The address that leads back to an app, with the parameters of a response. */
export function returnAddress(uri: string, response: Record<string, string | undefined>): string {
  const given = Object.entries(response).filter((one): one is [string, string] => one[1] !== undefined);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}
