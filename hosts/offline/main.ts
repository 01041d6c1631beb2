import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale, canBuild } from '../../packages/web/build.ts';

/*
 * `npm start`: serverless-offline without its own log, unless SLS_LOG_LEVEL asks for it.
 */
if (process.env.SLS_LOG_LEVEL === undefined) {
  process.env.SLS_LOG_LEVEL = 'warning';
  // It prints its table of routes with `console.log`, whatever the log level.
  console.log = () => {};
}
// Serverless keeps what it makes of its schemas in the home directory, which an account need not have.
process.env.SLS_SCHEMA_CACHE_BASE_DIR ??= cacheDirectory();
// After `git pull` without `npm ci`, the web client is of yesterday.
if (canBuild()) await buildIfStale();
process.argv.push('offline', 'start');
createRequire(import.meta.url)('serverless/bin/serverless.js');

/** A directory beside what Node.js keeps, or where that is not writable, one that is gone when this ends. */
function cacheDirectory(): string {
  const lasting = fileURLToPath(new URL('../../node_modules/.cache/serverless', import.meta.url));
  try {
    mkdirSync(lasting, { recursive: true });
    rmSync(mkdtempSync(join(lasting, 'trial-')), { recursive: true });
    return lasting;
  } catch {
    const temporary = mkdtempSync(join(tmpdir(), 'chat-service-'));
    process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));
    return temporary;
  }
}
