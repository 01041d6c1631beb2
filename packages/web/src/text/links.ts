/** The host of a link whose text looks like the address of another host. */
export function hiddenHost(text: string, href: string): string | undefined {
  const { host, username, password } = new URL(href);
  // People read `https://bank@evil` as the bank.
  if (username || password) return host;
  const shown = /^\s*(?:https?:\/\/)?([\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})(?:[:/?#@]|\s*$)/iu.exec(text)?.[1];
  if (shown === undefined || host === '') return undefined;
  // The host of an address is in ASCII, even if its text is not.
  const bare = (name: string) =>
    (URL.canParse(`https://${name}`) ? new URL(`https://${name}`).host : name)
      .toLowerCase()
      .replace(/^www\./, '')
      .replace(/:\d+$/, '');
  return bare(shown) === bare(host) ? undefined : host;
}

/** Longer addresses are shown in parts, and longer names in them are cut off. */
const mostShown = 44;
const mostOfName = 28;

/**
 * The displayed address: without the scheme, and shortened if it is long. The host is always
 * complete, because it shows who is behind a link.
 */
export function shortAddress(address: string): string {
  const [, shown = address] = /^(?:https?:\/\/)?(?:www\.)?(.*?)\/?$/is.exec(address) ?? [];
  if (shown.length <= mostShown) return shown;
  const [host = '', ...names] = (/^[^?#]*/.exec(shown)?.[0] ?? '').split('/').filter(Boolean);
  const isCut = /[?#]/.test(shown);
  const last = names.at(-1) ?? '';
  const name = last.length > mostOfName ? `${[...last].slice(0, mostOfName - 1).join('')}…` : last;
  const path = names.length > 1 ? `/…/${name}` : names.length === 1 ? `/${name}` : '';
  return `${host}${path}${isCut && !name.endsWith('…') ? '…' : ''}`;
}
