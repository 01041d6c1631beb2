/** The host that a link leads to, when its text looks as if it led to another one. */
export function hiddenHost(text: string, href: string): string | undefined {
  const { host, username, password } = new URL(href);
  // People read `https://bank@evil` as the bank.
  if (username || password) return host;
  const shown = /^\s*(?:https?:\/\/)?([\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})(?:[:/?#@]|\s*$)/iu.exec(text)?.[1];
  if (shown === undefined || host === '') return undefined;
  // The host of an address is in ASCII, whatever its text is written in.
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
 * An address as it is shown: without what every address has, and in parts where it is long. The
 * host is always whole, because it says who is behind a link.
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
