/*
 * The identity providers by which people can sign in (OpenID Connect), as settings name them: one by the settings
 * that begin with `OIDC_`, and more in a list. Nothing here reads the environment.
 */

/** An identity provider, and what its word counts for. */
export type IdentityProvider = {
  /** `default` is that of `OIDC_ISSUER`. It is a part of the address to which the provider leads back. */
  id: string;
  /** What people read on the button that leads to it. */
  name: string;
  issuer: string;
  clientId: string;
  /** The secret of the service there; empty for a public client. On AWS it is `ssm:` and the name of a parameter. */
  clientSecret: string;
  scopes: string;
  groupsClaim: string;
  /** The group whose members are administrators; there is none where it is empty. */
  adminGroup: string;
  /** The rooms, by their ids, of which the members of a group are made members. */
  groupRooms: GroupRooms[];
  /** Whether a confirmed address of a person opens the account that has the same. */
  linksByEmail: boolean;
  /** Whether a confirmed address opens the imported account that has it and that nobody has used. */
  claimsImported: boolean;
  signUp: SignUp;
};

/** A group at a provider, and the rooms that it gives. */
export type GroupRooms = { group: string; rooms: string[] };

/** The `id` of the provider of `OIDC_ISSUER`. */
export const defaultProvider = 'default';

export const providerSignUps = ['all', 'invited'] as const;
type SignUp = (typeof providerSignUps)[number];

/** So many may be in a list: the sign-in page has a button for each. */
const mostProviders = 10;

/** So many rooms may be given in all: each is looked at when somebody signs in. */
const mostGroupRooms = 100;

const isLoopback = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** Whether a text is an address to which requests are safe: by https, or on this machine. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback.test(hostname));
}

/** Whether a text is an issuer. It is compared as it is written, also with a `/` at its end. */
export function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && isSafeAddress(url) && !url.username && !url.password && !/[?#\s]/.test(value);
}

/** The scopes that a text lists, separated by single blanks; undefined without `openid`. */
export function scopesIn(value: string): string | undefined {
  const all = value.split(/[\s,]+/).filter(Boolean);
  return all.includes('openid') && all.every((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one)) ? all.join(' ') : undefined;
}

/** The rooms that groups give, of an object with a list of ids for each group; undefined for anything else. */
function groupRoomsOf(read: unknown): GroupRooms[] | undefined {
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
  const all = Object.entries(read).map(([group, rooms]) => ({ group, rooms }));
  const isRight = ({ group, rooms }: { group: string; rooms: unknown }) =>
    group !== '' && Array.isArray(rooms) && rooms.every((id) => typeof id === 'string' && /^[\da-f]{24}$/.test(id));
  return all.every(isRight) && all.flatMap(({ rooms }) => rooms).length <= mostGroupRooms ? all : undefined;
}

/** Reads what groups give from a text in JSON; undefined for any other. */
export function groupRoomsIn(text: string): GroupRooms[] | undefined {
  try {
    return text === '' ? [] : groupRoomsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The rule for what groups give. */
export const groupRoomsRule = `an object in JSON with a list of ids of rooms for each group, at most ${mostGroupRooms} in all`;

/** A field of an entry of the list: whether a value is right, the rule, and whether it must be there. */
type Field = { isRight: (value: unknown) => boolean; rule: string; isRequired?: true };

const textThat = (isRight: (value: string) => boolean, rule: string): Field => ({
  isRight: (value) => typeof value === 'string' && isRight(value),
  rule,
});
const textUpTo = (most: number) =>
  textThat((value) => value.trim() !== '' && value.length <= most, `a text of at most ${most} characters`);
const wordOf = (...words: readonly string[]) => textThat((value) => words.includes(value), `one of ${words.join(', ')}`);
const required = (field: Field): Field => ({ ...field, isRequired: true });

const isId = (value: string) => /^[a-z\d][a-z\d-]{0,31}$/.test(value) && value !== defaultProvider;

const fields: Record<string, Field> = {
  id: required(textThat(isId, `up to 32 lower-case letters, digits and hyphens, and not '${defaultProvider}'`)),
  name: required(textUpTo(60)),
  issuer: required(textThat(isIssuer, 'an issuer that starts with https://, or with http:// on this machine')),
  client_id: required(textUpTo(500)),
  client_secret: textUpTo(2_000),
  scopes: textThat((value) => scopesIn(value) !== undefined, 'scopes, separated by blanks, of which one is openid'),
  groups_claim: textUpTo(200),
  admin_group: textUpTo(200),
  group_rooms: { isRight: (value) => groupRoomsOf(value) !== undefined, rule: groupRoomsRule },
  link_by_email: wordOf('off', 'on'),
  claim_imported: wordOf('off', 'on'),
  sign_up: wordOf(...providerSignUps),
};

type Entry = { group_rooms?: unknown } & { [name: string]: string };

/** Reads a list of providers in JSON; returns a text that says what is wrong with one that can't be used, without a secret. */
export function providersIn(text: string): IdentityProvider[] | string {
  if (text === '') return [];
  const entries = entriesIn(text);
  if (!entries) return `a list in JSON of at most ${mostProviders} identity providers`;
  const fault = entries.map(faultOf).find((one) => one !== undefined) ?? repetitionIn(entries);
  return fault ?? entries.map(providerOf);
}

function entriesIn(text: string): Entry[] | undefined {
  try {
    const read: unknown = JSON.parse(text);
    const isList = Array.isArray(read) && read.length <= mostProviders;
    return isList && read.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one)) ? read : undefined;
  } catch {
    return undefined;
  }
}

function faultOf(entry: Entry, index: number): string | undefined {
  const at = `a list in JSON whose entry ${index + 1}`;
  const unknown = Object.keys(entry).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `${at} has only ${Object.keys(fields).join(', ')}`;
  for (const [name, { isRight, rule, isRequired }] of Object.entries(fields)) {
    const value: unknown = entry[name];
    if (value === undefined ? isRequired : !isRight(value)) return `${at} has ${name}: ${rule}`;
  }
  return undefined;
}

/** Two entries with one issuer would be one person's two accounts, of which either opens the other. */
function repetitionIn(entries: Entry[]): string | undefined {
  const isRepeated = (name: string) => new Set(entries.map((entry) => entry[name])).size < entries.length;
  const repeated = ['id', 'issuer'].find(isRepeated);
  return repeated === undefined ? undefined : `a list in JSON in which each entry has another ${repeated}`;
}

const providerOf = (entry: Entry): IdentityProvider => ({
  id: entry.id ?? '',
  name: entry.name ?? '',
  issuer: entry.issuer ?? '',
  clientId: entry.client_id ?? '',
  clientSecret: entry.client_secret ?? '',
  scopes: scopesIn(entry.scopes ?? 'openid profile email') ?? '',
  groupsClaim: entry.groups_claim ?? 'groups',
  adminGroup: entry.admin_group ?? '',
  groupRooms: groupRoomsOf(entry.group_rooms ?? {}) ?? [],
  linksByEmail: entry.link_by_email === 'on',
  claimsImported: entry.claim_imported !== 'off',
  signUp: entry.sign_up === 'invited' ? 'invited' : 'all',
});

/** A list of providers as administrators see it, without secrets; empty for what is not such a list. */
export function withoutSecrets(text: string): string {
  const entries = entriesIn(text);
  if (!entries) return '';
  const masked = entries.map(({ client_secret: secret, ...entry }) =>
    secret === undefined ? entry : { ...entry, client_secret: '***' },
  );
  return JSON.stringify(masked);
}
