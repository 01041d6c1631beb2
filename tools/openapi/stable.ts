import { createHash } from 'node:crypto';

/**
 * Replaces ids, tokens, keys, times and durations by values that are the same in every run,
 * numbered in order of appearance. Times keep their distance in days from the first one, so that an
 * expiry a month ahead still looks like one.
 */
export function stabilise<T>(steps: T, tokens: string[]): T {
  const replace = (text: string) =>
    text
      .replaceAll(/(?:\b|(?<=whsec_))[a-z0-9]{32}\b/g, (token) => (tokens.includes(token) ? tokenNames(token) : token))
      .replaceAll(/(?<="hint":")[a-z0-9]{4}(?=")/g, (hint) =>
        tokenNames(tokens.find((token) => token.endsWith(hint)) ?? hint).slice(-4),
      )
      .replaceAll(/(?<="today":")[\d-]{10}(?=")/g, '2026-11-21')
      .replaceAll(/(?<="milliseconds":)\d+/g, '12')
      // Second-factor secrets, recovery codes and app codes.
      .replaceAll(/\b[A-Z2-7]{32}\b/g, secretNames)
      .replaceAll(/\b[a-z2-9]{4}(-[a-z2-9]{4}){3}\b/g, recoveryNames)
      .replaceAll(/(?<="code":")\d{6}(?=")/g, '287082')
      // Public keys of P-256 in base64url.
      .replaceAll(/(?<="key":")B[\w-]{86}(?=")/g, keyNames)
      .replaceAll(/\b[0-9a-f]{24}\b/g, idNames)
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, timeNames);
  const tokenNames = namer((n) =>
    digest(`token ${n}`)
      .map((byte) => alphabet[byte % 36])
      .join(''),
  );
  const secretNames = namer((n) =>
    digest(`secret ${n}`)
      .map((byte) => base32[byte % 32])
      .join(''),
  );
  const recoveryNames = namer((n) =>
    digest(`recovery ${n}`)
      .slice(0, 16)
      .map((byte, at) => (at % 4 === 0 && at > 0 ? '-' : '') + recoveryAlphabet[byte % 31])
      .join(''),
  );
  const keyNames = namer((n) => `B${Buffer.from([...digest(`x ${n}`), ...digest(`y ${n}`)]).toString('base64url')}`);
  const idNames = namer(
    (n) =>
      `6b0163a4${Buffer.from(digest(`id ${n}`))
        .toString('hex')
        .slice(0, 16)}`,
  );
  let start: number | undefined;
  const timeNames = namer((n, time) => {
    start ??= Date.parse(time);
    const days = Math.round((Date.parse(time) - start) / day);
    return new Date(firstTime + days * day + n * 1_017).toISOString();
  });
  return JSON.parse(replace(JSON.stringify(steps)));
}

/** Names each distinct text by the number of texts before it. */
function namer(nameOf: (n: number, text: string) => string): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? nameOf(names.size, text);
    names.set(text, name);
    return name;
  };
}

const digest = (text: string) => [...createHash('sha256').update(text).digest()];
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const day = 86_400_000;
const firstTime = Date.parse('2026-11-21T09:04:42.123Z');
