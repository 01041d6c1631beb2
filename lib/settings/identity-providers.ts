/*
 * The identity providers for sign-ins (OpenID Connect), as settings configure them. One is set by
 * the settings that begin with `OIDC_`, and more in a list. Nothing here reads the environment.
 */

/** An identity provider, and what it may decide. */
export type IdentityProvider = {
  /**
   * `default` for the provider of `OIDC_ISSUER`. The provider's redirect address contains the id.
   */
  id: string;
  /** The label of its button. */
  name: string;
  issuer: string;
  clientId: string;
  /**
   * The service's secret at the provider; empty for a public client. On AWS it is `ssm:` and the
   * name of a parameter.
   */
  clientSecret: string;
  scopes: string;
  groupsClaim: string;
  /** The group whose members become administrators; empty to disable this. */
  adminGroup: string;
  /** The rooms, by their ids, that members of a group join. */
  groupRooms: GroupRooms[];
  /** True if a confirmed address gives access to the account with the same address. */
  linksByEmail: boolean;
  /**
   * True if a confirmed address gives access to the unused imported account with the same address.
   */
  claimsImported: boolean;
  signUp: SignUp;
};

/** A group at a provider, and its rooms. */
export type GroupRooms = { group: string; rooms: string[] };

/** The `id` of the provider of `OIDC_ISSUER`. */
export const defaultProvider = 'default';

export const providerSignUps = ['all', 'invited'] as const;
type SignUp = (typeof providerSignUps)[number];

/** The most providers in a list: the sign-in page has a button for each. */
const mostProviders = 10;

/** The most rooms of all groups: each is read at a sign-in. */
const mostGroupRooms = 100;

const isLoopback = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** True if requests to an address are safe: by https, or to this machine. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback.test(hostname));
}

/** True if a text is a valid issuer. Issuers are compared exactly, including a final `/`. */
export function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && isSafeAddress(url) && !url.username && !url.password && !/[?#\s]/.test(value);
}

/** The scopes in a text, separated by single spaces; undefined without `openid`. */
export function scopesIn(value: string): string | undefined {
  const all = value.split(/[\s,]+/).filter(Boolean);
  return all.includes('openid') && all.every((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one)) ? all.join(' ') : undefined;
}

/** Parses an object with a list of room ids for each group; otherwise undefined. */
function groupRoomsOf(read: unknown): GroupRooms[] | undefined {
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
  const all = Object.entries(read).map(([group, rooms]) => ({ group, rooms }));
  const isRight = ({ group, rooms }: { group: string; rooms: unknown }) =>
    group !== '' && Array.isArray(rooms) && rooms.every((id) => typeof id === 'string' && /^[\da-f]{24}$/.test(id));
  return all.every(isRight) && all.flatMap(({ rooms }) => rooms).length <= mostGroupRooms ? all : undefined;
}

/** Parses the rooms of groups from JSON; otherwise undefined. */
export function groupRoomsIn(text: string): GroupRooms[] | undefined {
  try {
    return text === '' ? [] : groupRoomsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The rule for the rooms of groups. */
export const groupRoomsRule = `an object in JSON with a list of ids of rooms for each group, at most ${mostGroupRooms} in all`;

/** A field of an entry of the list: its check, its rule, and whether it is required. */
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
  scopes: textThat((value) => scopesIn(value) !== undefined, 'scopes separated by spaces, including openid'),
  groups_claim: textUpTo(200),
  admin_group: textUpTo(200),
  group_rooms: { isRight: (value) => groupRoomsOf(value) !== undefined, rule: groupRoomsRule },
  link_by_email: wordOf('off', 'on'),
  claim_imported: wordOf('off', 'on'),
  sign_up: wordOf(...providerSignUps),
};

type Entry = { group_rooms?: unknown } & { [name: string]: string };

/**
 * Parses a JSON list of providers. For an invalid list it returns the rule that it violates,
 * without secrets.
 */
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

/**
 * Two entries with one issuer would give a person two accounts, and either would give access to the
 * other.
 */
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

/** A list of providers for administrators, without secrets; empty for an invalid list. */
export function withoutSecrets(text: string): string {
  const entries = entriesIn(text);
  if (!entries) return '';
  const masked = entries.map(({ client_secret: secret, ...entry }) =>
    secret === undefined ? entry : { ...entry, client_secret: '***' },
  );
  return JSON.stringify(masked);
}
