import { createRequire } from 'node:module';
import { buildIfStale, canBuild } from '../../packages/web/build.ts';

/*
 * `npm start`: serverless-offline without its own log, unless SLS_LOG_LEVEL asks for it.
 */
if (process.env.SLS_LOG_LEVEL === undefined) {
  process.env.SLS_LOG_LEVEL = 'warning';
  // It prints its table of routes with `console.log`, whatever the log level.
  console.log = () => {};
}
// After `git pull` without `npm ci`, the web client is of yesterday.
if (canBuild()) await buildIfStale();
process.argv.push('offline', 'start');
createRequire(import.meta.url)('serverless/bin/serverless.js');
