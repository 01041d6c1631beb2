import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/**
 * Tests that say nothing about another database: of the embedded one and its directories, of packing, documents and tools, of what
 * computes alone, of archives that are read (what is stored of them is tested by import-killed.test.ts), of connections between a
 * server and its callers, and of most of what the page does with the same requests that the tests of the functions make.
 */
const withoutTheDatabase = [
  'packages/embedded-mongodb/**',
  'packages/client/test/{package,terminal-chat,connection,*.model}.test.ts',
  'packages/rules/**',
  'packages/web/test/!(everywhere|story|talking).test.ts',
  'test/{architecture,documents,secrets,serverless,words}.test.ts',
  'test/admin/{damage,data-directory,import-rocketchat,import-slack,import-zulip,terminal}.test.ts',
  'test/docs/*.test.ts',
  'test/functions/*.browser.test.ts',
  'test/hosts/{image,needs-node-24}.test.ts',
  'test/hosts/aws/{package,runtime,smtp-url}.test.ts',
  'test/hosts/server/{backups,disk-full,fair-share,file-watch,memory-budget,push-unavailable,semaphore,uploads}.test.ts',
  'test/lib/credentials/password-pool.test.ts',
  'test/lib/sign-in/login.test.ts',
  'test/tools/bench/*.test.ts',
  'test/tools/release.test.ts',
  'test/tools/openapi/{document,descriptions,schemas,sentences}.test.ts',
];

/**
 * Tests that take long, because they start processes, stop them in the middle of their work, wait, or
 * try very much: `npm run test:thorough` runs them, and the cases of
 * each transport. All others are fast, and run by `npm test`.
 */
const thorough = [
  // What needs a browser, but for one story; and what is packed, deployed, documented or measured.
  'packages/web/test/!(clock|colours|favourite-order|fence|keyboard|languages|markup|metadata|story|suggested-name|text).test.ts',
  'packages/web/test/texts.test.ts', // which the pattern above takes for `text`
  'test/functions/*.browser.test.ts',
  'packages/client/test/{package,terminal-chat,live}.test.ts',
  'test/docs/*.test.ts',
  'test/hosts/**/*.test.ts',
  'test/tools/{bench,conformance}/**/*.test.ts',
  'test/tools/openapi/{document,fuzz,unavailable}.test.ts',
  'test/{secrets,serverless}.test.ts',
  // The database with its files, its sockets, faults of the disk, and beside an engine.
  'packages/embedded-mongodb/test/**/differential.test.ts',
  'packages/embedded-mongodb/test/{backup,damage,damage-harness,durability-*,faults-*,limits,private,spec-tests,wire-*,with-database,group-commit}.test.ts',
  // Processes of their own.
  'test/admin/{damage,data-directory,import-killed,terminal,transfer}.test.ts',
  'test/lib/{clocks,database/client}.test.ts',
  'test/lib/{files,notifications}/kills*.test.ts',
  'test/lib/audit/processes.test.ts',
  'test/lib/identity/{known-callers,write-rate}.test.ts',
  'test/lib/senders/deliver.kills.test.ts',
  'test/lib/feed/feed.races.test.ts',
  'test/functions/{members.races,rooms.large,rooms.model}.test.ts',
  'test/lib/accounts/{last-admin,account-limits}.test.ts',
  'test/lib/credentials/{login-limits,password-pool}.test.ts',
  'test/lib/sign-in/login.test.ts',
  // Models, and what fills rooms and pages.
  'test/admin/import-{rocketchat,slack,zulip}.test.ts',
  'test/functions/messages.model.test.ts',
  'test/lib/http/remembered.test.ts',
  'test/lib/members/my-rooms.test.ts',
  'test/lib/messages/{daily-counts,newest-pages,page-size,retries}.test.ts',
  'test/lib/senders/many-bots.test.ts',
  'test/lib/notifications/digests.test.ts',
];

/**
 * Where CI runs, a test is tried twice before it fails: browsers, processes and clocks of a busy machine now and then do what no test
 * expects. `ci-report.ts` names those that needed it.
 */
const retry = process.env.CI ? 1 : 0;

const all = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
const exclude = process.env.MONGODB_URI ? withoutTheDatabase : [];

/** What changes a process for the files after it: its environment, and what vitest replaces in it and does not restore by itself. */
const change = /process\.env[^;]* = |Object\.assign\(process\.env|delete process\.env|\bvi\.(mock|hoisted|stub|useFake)/;

/** The source texts of a test file and of the modules of test/support that it imports, with their paths. */
function sourcesOf(test: string): { path: string; text: string }[] {
  const sources: { path: string; text: string }[] = [];
  const paths = new Set([test]);
  // Those that are added meanwhile have their turn as well.
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    sources.push({ path, text });
    for (const [, imported = ''] of text.matchAll(/(?:from|import)[ (]'(\.[^']+)'/g)) {
      const found = join(dirname(path), imported);
      if (found.includes('/support/')) paths.add(found);
    }
  }
  return sources;
}

/** Whether a test file changes its process, or begins what ends with the file. */
const changesItsProcess = (test: string): boolean =>
  sourcesOf(test).some(({ path, text }) => change.test(text) || (path !== test && text.includes('afterAll(')));

/** Where one looks at the connection to the database, has one's own, or asks a server that has another. */
const connection = /commandStarted|\/support\/(sent-commands|database-within)\.ts'|inject\('serveUrl'\)/;

/**
 * Whether a test file has a database within its process, as the service has by `npm run serve`: that takes a third of the time off most
 * tests. Other databases, and the embedded one over a socket, are for the others and for the thorough tests.
 */
const isWithin = (test: string): boolean =>
  !process.env.MONGODB_URI &&
  /^test\/(functions|lib|authorisation)/.test(test) &&
  !sourcesOf(test).some(({ path, text }) => !path.endsWith('/transports.ts') && connection.test(text));

const fast = globSync(all, { exclude: [...thorough, ...exclude] });
const within = fast.filter(isWithin);
const overSocket = fast.filter((path) => !within.includes(path));

/** Those with cases for each transport, which is the same for every database: the fast tests make them in process, the thorough ones over HTTP. */
const overHttp = process.env.MONGODB_URI
  ? []
  : globSync(all).filter((path) => /\btransports\(\)|inject\('baseUrl'\) \|\|/.test(readFileSync(path, 'utf8')));

/**
 * Projects of these files. All share processes, for one costs a second of the processor to start and three to load; those that
 * change theirs load the modules of the service for themselves, which is half a second: see `environment.ts`.
 */
function projects(name: string, include: string[], env: Record<string, string> = {}) {
  const sorted = Object.groupBy(include, (path) => (changesItsProcess(path) ? 'own' : 'together'));
  return [
    { extends: true as const, test: { name, include: sorted.own ?? [], env: { ...env, MODULES: 'own' } } },
    { extends: true as const, test: { name: `${name}-together`, include: sorted.together ?? [], env } },
  ].filter(({ test }) => test.include.length > 0);
}

/** The sources of the client package, which is built only when it is published. */
const conditions = ['chat-service-source'];

export default defineConfig({
  resolve: { conditions: [...conditions, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [...conditions, ...defaultServerConditions] } },
  test: {
    projects: [
      ...projects('fast', overSocket),
      ...projects('fast-within', within, { DATABASE: 'within' }),
      ...projects('http', overHttp, { TRANSPORTS: 'http' }),
      // What takes minutes, and needs root, runs by `npm run test:docs -- all`.
      ...projects(
        'thorough',
        globSync([...thorough, ...(process.env.TEST_DOCS === 'all' ? ['test/docs/*.all.ts'] : [])], { exclude }),
      ),
    ],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/environment.ts',
    reporters: ['default', './test/support/contract-coverage.ts', ...(process.env.CI ? ['./test/support/ci-report.ts'] : [])],
    isolate: false,
    // Tests wait for the database and for other processes about as often as they compute.
    maxWorkers: availableParallelism() + 1,
    retry,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is waited for may take long on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
