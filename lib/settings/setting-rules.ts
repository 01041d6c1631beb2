import {
  type GroupRooms,
  groupRoomsIn,
  groupRoomsRule,
  type IdentityProvider,
  isIssuer,
  isSafeAddress,
  providersIn,
  scopesIn,
  withoutSecrets,
} from './identity-providers.ts';

/* The rules for values of settings, which `settings.ts` applies. */

/** Parses a value; undefined if it violates the rule. */
export type Rule<T> = {
  read: (text: string) => T | undefined;
  /** The text of the rule, which completes "Set PORT to ...". */
  says: (text: string) => string;
  /** Set if an error must not repeat the value. */
  isSecret?: true;
  /** The value for administrators, without the secrets in it. */
  shows?: (text: string) => string;
};

export const text: Rule<string> = { read: (value) => value, says: () => 'a text' };

export const wholeNumber = (least: number, most: number): Rule<number> => ({
  read: (value) => (/^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most ? Number(value) : undefined),
  says: () => `a whole number from ${least} to ${most}`,
});

export const oneOf = <const Choice extends string>(...choices: Choice[]): Rule<Choice> => ({
  read: (value) => choices.find((choice) => choice === value),
  says: () => `one of ${choices.join(', ')}`,
});

export const matching = (pattern: RegExp, what: string): Rule<string> => ({
  read: (value) => (pattern.test(value) ? value : undefined),
  says: () => what,
});

export const origins: Rule<string[]> = {
  read: (value) => {
    const all = value.split(/[\s,]+/);
    return all.every((one) => one === '*' || URL.parse(one)?.origin === one) ? all : undefined;
  },
  says: () => '* or to origins such as https://chat.example.org',
};

export const hosts: Rule<string[]> = {
  read: (value) => {
    const all = value.split(/[\s,]+/).filter(Boolean);
    return all.every((one) => /^[\w.-]+(:\d+)?$/.test(one) || URL.parse(one)?.origin === one) ? all : undefined;
  },
  says: () => 'names of hosts such as push.example.org, or origins such as http://127.0.0.1:8080',
};

/** The languages of the page: English, German and Arabic. */
export const languages = ['en', 'de', 'ar'] as const;
type Language = (typeof languages)[number];

export const languageList: Rule<Language[]> = {
  read: (value) => {
    const all = value.split(/[\s,]+/).map((name) => languages.find((language) => language === name));
    const known = all.filter((language) => language !== undefined);
    return known.length === all.length ? [...new Set(known)] : undefined;
  },
  says: () => `languages, separated by commas, of ${languages.join(', ')}`,
};

export const connectionString: Rule<string> = {
  read: (value) => (/^mongodb(\+srv)?:\/\//.test(value) ? value : undefined),
  says: (value) =>
    value
      ? 'a connection string that starts with mongodb:// or mongodb+srv://'
      : "the connection string of a MongoDB database, or start with 'npm start', which brings its own",
  isSecret: true,
};

/** True if a text is the address of a mail server. */
export const isMailServer = (value: string): boolean => /^smtps?:\/\/[^\s/]+/.test(value);

/** True if a text is the name of an SSM parameter, which replaces a secret on AWS. */
export const isParameter = (value: string): boolean => /^ssm:(\/[\w.-]+)+$/.test(value);

export const mailServer: Rule<string> = {
  read: (value) => (value === '' || isMailServer(value) || isParameter(value) ? value : undefined),
  says: () => 'the address of a mail server that starts with smtps:// or smtp://',
  isSecret: true,
};

/**
 * Parses keys of 32 bytes in Base64 or hexadecimal, separated by commas; undefined if a text is
 * invalid.
 */
export function keysIn(value: string): Buffer[] | undefined {
  if (value === '') return [];
  const keys = value
    .split(/\s*,\s*/)
    .map((one) =>
      /^[\da-f]{64}$/i.test(one) ? Buffer.from(one, 'hex') : /^[\w+/-]{43}=?$/.test(one) ? Buffer.from(one, 'base64') : undefined,
    );
  const known = keys.filter((key) => key?.length === 32) as Buffer[];
  return known.length === keys.length ? known : undefined;
}

export const secretKey: Rule<string> = {
  read: (value) => (keysIn(value) || isParameter(value) ? value : undefined),
  says: () => "a key of 32 bytes in Base64, such as 'openssl rand -base64 32' prints, or several separated by commas",
  isSecret: true,
};

export const ownAddress: Rule<string> = {
  read: (value) => {
    const address = value.replace(/\/+$/, '');
    return address === '' || (/^https?:\/\/[^\s/?#@\\]+$/.test(address) && URL.canParse(address)) ? address : undefined;
  },
  says: (value) =>
    /^https?:\/\/[^/]/.test(value)
      ? 'an address without a path, a query or a password (the service needs a host name, or a port, of its own)'
      : 'an address such as https://chat.example.org',
};

export const timeSpan: Rule<number> = {
  read: (value) => {
    const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(value) ?? [];
    return Number(count) > 0 ? Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd'] : undefined;
  },
  says: () => 'a time such as 30m, 12h or 7d',
};

export const filesPlace: Rule<string> = {
  read: (value) => (!value.startsWith('s3:') || bucketPattern.test(value) ? value : undefined),
  says: () => 'a directory, or to a bucket such as s3://chat-files or s3://chat-files/prefix',
};

/** A bucket, and the prefix of its objects' names. */
export const bucketPattern = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])((?:\/[\w-][\w.-]*)*)\/?$/;

export const storeAddress: Rule<string> = {
  read: (value) => {
    if (value === '') return value;
    const url = URL.parse(value);
    const isStore = url && isSafeAddress(url) && !url.username && !url.password && !url.search && !url.hash;
    return isStore ? url.href.replace(/\/+$/, '') : undefined;
  },
  says: () => 'the address of an object store that starts with https://, or with http:// on this machine',
};

export const issuer: Rule<string> = {
  read: (value) => (value === '' || isIssuer(value) ? value : undefined),
  says: () => 'the issuer of an identity provider, which starts with https://, or with http:// on this machine',
};

export const providerList: Rule<IdentityProvider[]> = {
  read: (value) => {
    const read = providersIn(value);
    return typeof read === 'string' ? undefined : read;
  },
  says: (value) => String(providersIn(value)),
  isSecret: true,
  shows: withoutSecrets,
};

export const secret: Rule<string> = { ...text, isSecret: true };

/** While a secret is being replaced, the old and the new one are separated by a space. */
export const gatewaySecrets: Rule<string[]> = {
  read: (value) => {
    const secrets = value.split(/\s+/).filter(Boolean);
    return secrets.every((one) => one.length >= 16) && !isParameter(value) ? secrets : undefined;
  },
  says: () => 'a secret of at least 16 characters',
  isSecret: true,
};

export const groupRooms: Rule<GroupRooms[]> = { read: groupRoomsIn, says: () => groupRoomsRule };

export const scopeList: Rule<string> = {
  read: scopesIn,
  says: () => 'scopes separated by spaces, including openid',
};

const units = { '': 1, kB: 1_000, MB: 1_000_000, GB: 1_000_000_000, TB: 1_000_000_000_000 };

export const byteCount: Rule<number> = {
  read: (value) => {
    const [, count = '', unit = ''] = /^(\d{1,9})(|kB|MB|GB|TB)$/.exec(value) ?? [];
    return Number(count) > 0 ? Number(count) * units[unit as keyof typeof units] : undefined;
  },
  says: () => 'a size such as 500kB, 25MB or 2GB',
};

export const wordOr = <const Word extends string, T>(word: Word, rule: Rule<T>): Rule<Word | T> => ({
  ...rule,
  read: (value) => (value === word ? word : rule.read(value)),
});
