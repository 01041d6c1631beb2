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
