import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../lib/settings/config.ts';
import { keysIn } from '../../../lib/settings/setting-rules.ts';
import { misspelledSettings } from '../../../lib/settings/settings.ts';

const least = { MONGODB_URI: 'mongodb://localhost' };

const gitlab = { id: 'gitlab', name: 'GitLab', issuer: 'https://gitlab.example.org', client_id: 'chat', client_secret: 'hidden' };
const listing = (...entries: object[]) => ({
  ...least,
  PUBLIC_URL: 'https://chat.example.org',
  OIDC_PROVIDERS: JSON.stringify(entries),
});

describe('settings', () => {
  it.each([
    ['https://chat.example.org', { id: 'chat.example.org', origin: 'https://chat.example.org' }],
    ['https://chat.example.org:8443', { id: 'chat.example.org', origin: 'https://chat.example.org:8443' }],
    ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
    ['http://chat.localhost', { id: 'chat.localhost', origin: 'http://chat.localhost' }],
    ['http://chat.example.org', { obstacle: 'unsuitable_public_url' }],
    ['http://localhost.example.org', { obstacle: 'unsuitable_public_url' }],
    ['https://192.0.2.1', { obstacle: 'unsuitable_public_url' }],
    ['https://[2001:db8::1]', { obstacle: 'unsuitable_public_url' }],
  ])('the settings say for which site passkeys are made, if any: %s', (PUBLIC_URL, passkeys) => {
    expect(readConfig({ ...least, PUBLIC_URL }).passkeys).toEqual(passkeys);
  });

  it('settings have defaults for all but the database', () => {
    expect(readConfig(least)).toEqual({
      mongodbUri: 'mongodb://localhost',
      mongodbDatabase: 'chat',
      mongodbPoolSize: 5,
      metrics: false,
      docsUrl: '/docs',
      socketUrl: '/socket',
      cloudfrontSecrets: [],
      corsOrigins: ['*'],
      roomMembers: 1_000,
      backups: { directory: '', every: 86_400_000 },
      retentionDays: 0,
      auditDays: 365,
      eventDays: 30,
      feedPatience: 35_000,
      bcryptCost: 12,
      pageSize: 50,
      hsts: 'host',
      registration: 'open',
      roomCreation: 'users',
      invitations: 'members',
      botCreation: 'admins',
      smtpUrl: '',
      mailFrom: '',
      publicUrl: '',
      emailConfirmation: 'off',
      passkeys: { obstacle: 'no_public_url' },
      secretKey: '',
      requireSecondFactor: 'off',
      pushHosts: [],
      hasPushText: true,
      mcp: 'on',
      oauthIssuer: undefined,
      oauthHosts: [],
      botTurns: 8,
      webhookHosts: [],
      identityProviders: [],
      takesPasswords: true,
      brandName: 'Chat',
      brandColor: '#0f766e',
      languages: ['en', 'de', 'ar'],
      files: { directory: '', size: 25_000_000, perUser: 2_000_000_000, inAll: 20_000_000_000 },
      sessionDays: 30,
      patienceMs: {
        database: 3_000,
        pushService: 5_000,
        receiver: 5_000,
        identityProvider: 4_000,
        mailServer: 3_000,
        slowClient: 30_000,
      },
      limits: {
        areOn: true,
        writesPerSecond: 10,
        writeBurst: 50,
        signUpsPerHour: 10,
        signUpsPerDay: 100,
        loginsPerMinute: 20,
        tokensPerUser: 100,
        sessionsPerUser: 50,
        roomsPerUser: 1_000,
        strangersPerDay: 50,
      },
      logLevel: 'info',
    });
  });

  it('settings accept languages in any order, each once', () => {
    expect(readConfig({ ...least, LANGUAGES: 'de, en,de' }).languages).toEqual(['de', 'en']);
  });

  it('settings accept keys of 32 bytes in Base64 or hexadecimal, or the name of a parameter', () => {
    const [one, other] = [randomBytes(32), randomBytes(32)];
    const text = `${one.toString('base64')}, ${other.toString('hex')}`;
    expect(readConfig({ ...least, SECRET_KEY: text }).secretKey).toBe(text);
    expect(keysIn(text)).toEqual([one, other]);
    expect(keysIn(one.toString('base64url'))).toEqual([one]);
    expect(readConfig({ ...least, SECRET_KEY: 'ssm:/chat/secret-key' }).secretKey).toBe('ssm:/chat/secret-key');
  });

  it('settings name the identity provider of the single settings first, and take over nothing of it for those of the list', () => {
    const single = {
      OIDC_ISSUER: 'https://id.example.org',
      OIDC_CLIENT_ID: 'chat',
      OIDC_ADMIN_GROUP: 'a',
      OIDC_LINK_BY_EMAIL: 'on',
    };
    const { identityProviders } = readConfig({ ...listing({ ...gitlab, sign_up: 'invited' }), ...single });
    expect(identityProviders).toMatchObject([{ id: 'default', adminGroup: 'a', linksByEmail: true, signUp: 'all' }, {}]);
    expect(identityProviders[1]).toEqual({
      id: 'gitlab',
      name: 'GitLab',
      issuer: 'https://gitlab.example.org',
      clientId: 'chat',
      clientSecret: 'hidden',
      scopes: 'openid profile email',
      groupsClaim: 'groups',
      adminGroup: '',
      groupRooms: [],
      linksByEmail: false,
      claimsImported: true,
      signUp: 'invited',
    });
    expect(readConfig({ ...listing(gitlab), SIGN_IN: 'oidc' })).toMatchObject({ takesPasswords: false });
  });

  it.each([
    'a',
    '[]',
    '{"a":"6b0163a4327fbcafc916e187"}',
    '{"a":["General"]}',
    JSON.stringify({ a: Array(101).fill('ab'.repeat(12)) }),
  ])('settings map groups to rooms by ids alone, of which there may be a hundred, not as %s', (OIDC_GROUP_ROOMS) => {
    expect(() => readConfig({ ...least, OIDC_GROUP_ROOMS })).toThrow(
      /^Set OIDC_GROUP_ROOMS to an object in JSON with a list of ids of rooms for each group, at most 100 in all, not/,
    );
  });

  it('settings map groups to rooms, also in the list of identity providers', () => {
    const [room, other] = ['ab'.repeat(12), 'cd'.repeat(12)];
    const single = {
      OIDC_ISSUER: 'https://id.example.org',
      OIDC_CLIENT_ID: 'chat',
      OIDC_GROUP_ROOMS: JSON.stringify({ a: [room] }),
    };
    const { identityProviders } = readConfig({ ...listing({ ...gitlab, group_rooms: { b: [room, other] } }), ...single });
    expect(identityProviders.map(({ groupRooms }) => groupRooms)).toEqual([
      [{ group: 'a', rooms: [room] }],
      [{ group: 'b', rooms: [room, other] }],
    ]);
  });

  it('settings accept a list of origins', () => {
    expect(readConfig({ ...least, CORS_ORIGINS: 'https://a.example, https://b.example' }).corsOrigins).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
  });

  it.each([
    ['MONGODB_URI', {}, /^Set MONGODB_URI to the connection string/],
    ['MONGODB_URI', { MONGODB_URI: 'localhost' }, /^Set MONGODB_URI to a connection string that starts with/],
    ['BCRYPT_COST', { ...least, BCRYPT_COST: 'high' }, /^Set BCRYPT_COST to a whole number from 4 to 16, not 'high'\.$/],
    ['REGISTRATION', { ...least, REGISTRATION: 'ajar' }, /^Set REGISTRATION to one of open, invited, closed, not 'ajar'\.$/],
    [
      'LANGUAGES',
      { ...least, LANGUAGES: 'de,fr' },
      /^Set LANGUAGES to languages, separated by commas, of en, de, ar, not 'de,fr'\.$/,
    ],
    ['BRAND_COLOR', { ...least, BRAND_COLOR: 'red' }, /^Set BRAND_COLOR to a colour such as #0f766e, not 'red'\.$/],
    ['SESSION_DAYS', { ...least, SESSION_DAYS: '0' }, /^Set SESSION_DAYS to a whole number from 1 to 3650, not '0'\.$/],
    ['SMTP_URL', { ...least, SMTP_URL: 'mail.example.org' }, /^Set SMTP_URL to the address of a mail server/],
    ['PUBLIC_URL', { ...least, PUBLIC_URL: 'chat.example.org' }, /^Set PUBLIC_URL to an address such as/],
    ['PUBLIC_URL', { ...least, PUBLIC_URL: 'https://example.org/chat/' }, /^Set PUBLIC_URL to an address without a path/],
    ['PUBLIC_URL', { ...least, PUBLIC_URL: 'https://example.org?a=1' }, /^Set PUBLIC_URL to an address without a path, a query/],
    ['PUBLIC_URL', { ...least, PUBLIC_URL: 'https://ann:pass@example.org' }, /^Set PUBLIC_URL to an address without .*password/],
    ['PUBLIC_URL', { ...least, PUBLIC_URL: 'https://example.org#chat' }, /^Set PUBLIC_URL to an address without a path/],
    ['PUBLIC_URL', { ...least, PUBLIC_URL: 'https://example.org:99999' }, /^Set PUBLIC_URL to an address/],
    ['PUBLIC_URL', { ...least, PUBLIC_URL: 'https://' }, /^Set PUBLIC_URL to an address such as/],
    ['PUBLIC_URL', { ...least, SMTP_URL: 'smtps://mail.example.org' }, /^Set PUBLIC_URL to the address of the service/],
    ['MAIL_FROM', { ...least, SMTP_URL: 'smtp://a', PUBLIC_URL: 'https://a' }, /^Set MAIL_FROM to the sender of e-mails/],
    [
      'SECRET_KEY',
      { ...least, SECRET_KEY: 'secret' },
      /^Set SECRET_KEY to a key of 32 bytes in Base64, such as 'openssl rand -base64 32' prints, or several separated by commas\.$/,
    ],
    ['SECRET_KEY', { ...least, SECRET_KEY: `${'ab'.repeat(32)},ab` }, /^Set SECRET_KEY to a key of 32 bytes/],
    [
      'REQUIRE_2FA',
      { ...least, SECRET_KEY: 'ab'.repeat(32), REQUIRE_2FA: 'on' },
      /^Set REQUIRE_2FA to one of off, admins, all, not 'on'\.$/,
    ],
    ['REQUIRE_2FA', { ...least, REQUIRE_2FA: 'admins' }, /^Set SECRET_KEY as well: REQUIRE_2FA=admins needs a key\.$/],
    ['OIDC_ISSUER', { ...least, OIDC_ISSUER: 'http://id.example.org' }, /^Set OIDC_ISSUER to the issuer of an identity provider/],
    ['OIDC_ISSUER', { ...least, OIDC_ISSUER: 'https://id.example.org/?a' }, /^Set OIDC_ISSUER to the issuer/],
    ['OIDC_CLIENT_ID', { ...least, OIDC_ISSUER: 'https://id.example.org' }, /^Set OIDC_CLIENT_ID as well/],
    [
      'PUBLIC_URL',
      { ...least, OIDC_ISSUER: 'https://id.example.org', OIDC_CLIENT_ID: 'chat' },
      /^Set PUBLIC_URL to the address of the service: the identity provider/,
    ],
    ['OIDC_SCOPES', { ...least, OIDC_SCOPES: 'email' }, /^Set OIDC_SCOPES to scopes separated by spaces, including openid/],
    [
      'OIDC_PROVIDERS',
      listing({ ...gitlab, group_rooms: [] }),
      /whose entry 1 has group_rooms: an object in JSON with a list of ids/,
    ],
    [
      'OIDC_PROVIDERS',
      { ...least, OIDC_PROVIDERS: 'gitlab' },
      /^Set OIDC_PROVIDERS to a list in JSON of at most 10 identity providers\.$/,
    ],
    [
      'OIDC_PROVIDERS',
      listing({ ...gitlab, admin_grup: 'chat-admins' }),
      /^Set OIDC_PROVIDERS to a list in JSON whose entry 1 has only id, name, issuer, client_id, client_secret, [^']*\.$/,
    ],
    [
      'OIDC_PROVIDERS',
      listing(gitlab, { ...gitlab, id: 'default' }),
      /^Set OIDC_PROVIDERS to a list in JSON whose entry 2 has id: up to 32 lower-case letters, digits and hyphens, and not 'default'\.$/,
    ],
    [
      'OIDC_PROVIDERS',
      listing({ ...gitlab, issuer: 'http://id.example.org' }),
      /whose entry 1 has issuer: an issuer that starts with https/,
    ],
    [
      'OIDC_PROVIDERS',
      listing({ ...gitlab, client_id: undefined }),
      /whose entry 1 has client_id: a text of at most 500 characters\.$/,
    ],
    ['OIDC_PROVIDERS', listing({ ...gitlab, scopes: 'email' }), /whose entry 1 has scopes: scopes separated by spaces/],
    ['OIDC_PROVIDERS', listing({ ...gitlab, sign_up: 'none' }), /whose entry 1 has sign_up: one of all, invited\.$/],
    ['OIDC_PROVIDERS', listing(gitlab, { ...gitlab, issuer: 'https://b.example.org' }), /in which each entry has another id\.$/],
    ['OIDC_PROVIDERS', listing(gitlab, { ...gitlab, id: 'b' }), /in which each entry has another issuer\.$/],
    ['OIDC_PROVIDERS', listing(...Array(11).fill(gitlab)), /a list in JSON of at most 10 identity providers\.$/],
    [
      'OIDC_PROVIDERS',
      { ...listing(gitlab), OIDC_ISSUER: gitlab.issuer, OIDC_CLIENT_ID: 'chat' },
      /^Set OIDC_PROVIDERS to providers other than that of OIDC_ISSUER\.$/,
    ],
    ['PUBLIC_URL', { ...listing(gitlab), PUBLIC_URL: '' }, /^Set PUBLIC_URL to .* of OIDC_PROVIDERS leads back to it\.$/],
    ['SIGN_IN', { ...least, SIGN_IN: 'oidc' }, /^Set OIDC_ISSUER as well: SIGN_IN=oidc leaves no other way/],
    ['EMAIL_CONFIRMATION', { ...least, EMAIL_CONFIRMATION: 'required' }, /^Set SMTP_URL as well: EMAIL_CONFIRMATION=required/],
    ['FILE_SIZE', { ...least, FILE_SIZE: '25 MiB' }, /^Set FILE_SIZE to a size such as 500kB, 25MB or 2GB, not '25 MiB'\.$/],
    ['LOG_LEVEL', { ...least, LOG_LEVEL: 'loud' }, /^Set LOG_LEVEL to one of debug, info, error, silent, not 'loud'\.$/],
  ])('a setting with an unusable value is refused by name: %s', (_name, environment, message) => {
    expect(() => readConfig(environment).mongodbUri).toThrow(message);
  });
});

describe('the names of settings', () => {
  it.each([
    ['REGISTRATON', 'REGISTRATION'],
    ['DATADIR', 'DATA_DIR'],
    ['MONGO_URI', 'MONGODB_URI'],
    ['HTTP_PROT', 'HTTP_PORT'],
    ['TRUST_PROXIES', undefined],
    ['HTTP_PROXY', undefined],
    ['LOGNAME', undefined],
    ['HTTP_PORT', undefined],
  ])('the name of a setting is guessed from %s: %s', (name, meant) => {
    expect(misspelledSettings({ [name]: 'x' })).toEqual(meant ? [`Unknown setting ${name}. Did you mean ${meant}?`] : []);
  });
});
