/** The address as a link may have it; undefined for one that is none, or not of the web or an e-mail. */
export function safeAddress(text: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)[^\s]/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}

/** The host that a link leads to, when its text looks as if it led to another one. */
export function hiddenHost(text: string, href: string): string | undefined {
  const { host } = new URL(href);
  const shown = /^\s*(?:https?:\/\/)?([\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})(?:[:/?#]|\s*$)/iu.exec(text)?.[1];
  if (shown === undefined || host === '') return undefined;
  const bare = (name: string) =>
    name
      .toLowerCase()
      .replace(/^www\./, '')
      .replace(/:\d+$/, '');
  return bare(shown) === bare(host) ? undefined : host;
}
