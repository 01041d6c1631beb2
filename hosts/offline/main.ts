import { createRequire } from 'node:module';

/*
 * `npm start`: serverless-offline, which prints what a person needs and not its own log, unless SLS_LOG_LEVEL asks for that.
 */
if (process.env.SLS_LOG_LEVEL === undefined) {
  process.env.SLS_LOG_LEVEL = 'warning';
  // It prints its table of routes with this, whatever its log level.
  console.log = () => {};
}
process.argv.push('offline', 'start');
createRequire(import.meta.url)('serverless/bin/serverless.js');
