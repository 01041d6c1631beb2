/*
 * Other ways to run test files, which `VARIANT` names. Without it, each file runs once, as its name
 * says.
 */

/**
 * Tests of what databases could do in different ways: a file for each collection, indexes and
 * plans, models, races.
 */
const onAnotherDatabase = [
  'test/functions/{audit,bot-commands,bot-webhooks,directory,epochs,events,files,finding,forgotten-passwords}.test.ts',
  'test/functions/{members,messages,notifications,oauth,outgoing-webhooks,passkeys,push-subscription,reading}.test.ts',
  'test/functions/{rooms,saved,searches,sessions,threads,tokens,unread,users}.test.ts',
  'test/functions/{members.races,messages.model,rooms.model}.ci.test.ts',
  'test/lib/{round-trips,clocks.ci}.test.ts',
  'test/lib/accounts/{last-admin,login-limits}.ci.test.ts',
  'test/lib/collections/indexes.test.ts',
  'test/lib/database/{bounded,client.ci,export-import}.test.ts',
  'test/lib/feed/{feed,feed.races.ci}.test.ts',
  'test/lib/files/quotas.test.ts',
  'test/lib/messages/daily-counts.ci.test.ts',
];

/** The variants by name: their files, and the variables that they set. */
export const variants: Record<string, { include: string[]; env?: Record<string, string> }> = {
  /** On the database that `MONGODB_URI` names. */
  engine: { include: onAnotherDatabase },
  http: { include: ['test/functions/*.test.ts'], env: { TRANSPORTS: 'http' } },
  'object-store': {
    include: ['test/functions/files.test.ts', 'test/lib/files/kills.ci.test.ts'],
    env: { FILE_STORE: 's3' },
  },
  /** All commands on randomly damaged databases. `DAMAGES` says how many. */
  damage: { include: ['test/damage/harness.all.ts'] },
  /** The template of a deployment and the rules of cdk-nag, which is installed for it. */
  'cdk-nag': { include: ['test/hosts/aws/cdk-nag.all.ts'] },
  /** The bench on tiny datasets. It fills both processors. */
  bench: { include: ['test/tools/bench/*.all.ts'] },
  /** The page in browsers besides Chromium, which Debian brings. */
  browsers: { include: ['packages/web/test/*.nightly.ts'] },
  /** As root: the documentation under systemd, behind proxies, and with the oldest Node.js. */
  docs: { include: ['test/docs/*.test.ts', 'test/docs/*.all.ts'] },
};
