import { globSync, readFileSync } from 'node:fs';
import type { Vitest } from 'vitest/node';

/** Whether only the fast tests run: they call the functions in process. */
export const isFastAlone = ({ projects }: Pick<Vitest, 'projects'>): boolean =>
  projects.every(({ name }) => name.startsWith('fast'));

/** Whether the fast and the thorough tests run, which cover the contract together. */
export const isWholeSuite = ({ projects }: Pick<Vitest, 'projects'>): boolean =>
  ['fast', 'thorough'].every((name) => projects.some((project) => project.name === name));

const withoutTheDatabase = [
  'packages/embedded-mongodb/**',
  'packages/client/test/{package,parse,names,quiet-hours,terminal-chat,texts,connection,*.model}.test.ts',
  'packages/web/test/!(everywhere|story|talking).test.ts',
  'test/{architecture,documents,secrets,serverless,words}.test.ts',
  'test/admin/{damage,data-directory,import-rocketchat,import-slack,import-zulip,terminal}.test.ts',
  'test/docs/*.test.ts',
  'test/functions/*.browser.test.ts',
  'test/hosts/{image,needs-node-24}.test.ts',
  'test/hosts/aws/{package,runtime,smtp-url}.test.ts',
  'test/hosts/server/{backups,disk-full,fair-share,file-watch,memory-budget,push-unavailable,semaphore,uploads}.test.ts',
  'test/lib/accounts/{login,password-pool}.test.ts',
  'test/tools/bench/*.test.ts',
  'test/tools/release.test.ts',
  'test/tools/openapi/{document,descriptions,schemas,sentences}.test.ts',
];

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
  'test/lib/accounts/{login,login-limits,password-pool,last-admin,account-limits}.test.ts',
  // Models, and what fills rooms and pages.
  'test/admin/import-{rocketchat,slack,zulip}.test.ts',
  'test/functions/messages.model.test.ts',
  'test/lib/http/remembered.test.ts',
  'test/lib/members/my-rooms.test.ts',
  'test/lib/messages/{daily-counts,newest-pages,page-size,retries}.test.ts',
  'test/lib/senders/many-bots.test.ts',
  'test/lib/notifications/digests.test.ts',
];

const all = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
const exclude = process.env.MONGODB_URI ? withoutTheDatabase : [];
/** Tests that replace a module, which needs modules of their own. */
const mocking = ['test/lib/notifications/kills.test.ts', 'test/lib/senders/deliver.kills.test.ts'];
export const isolated = { include: mocking, isolate: true };

export const fast = { include: all, exclude: [...thorough, ...exclude] };
export const slow = { include: [...thorough, ...(process.env.TEST_DOCS === 'all' ? ['test/docs/*.all.ts'] : [])], exclude };
export const http = {
  include: process.env.MONGODB_URI ? [] : globSync(all).filter((path) => /\btransports\(\)/.test(readFileSync(path, 'utf8'))),
};
