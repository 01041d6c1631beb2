import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale, canBuild } from '../../packages/web/build.ts';
import { onOrphaned } from '../server/signals.ts';

/* `npm start`: runs serverless-offline without its own log, unless SLS_LOG_LEVEL is set. */
if (process.env.SLS_LOG_LEVEL === undefined) {
  process.env.SLS_LOG_LEVEL = 'warning';
  // It prints its table of routes with `console.log`, whatever the log level.
  console.log = () => {};
}
// serverless-offline ends after this signal, and with it the database.
onOrphaned(() => process.kill(process.pid, 'SIGTERM'));
// Serverless caches its compiled schemas in the home directory, which an account may lack.
process.env.SLS_SCHEMA_CACHE_BASE_DIR ??= cacheDirectory();
// After `git pull` without `npm ci`, the web client may be outdated.
if (canBuild()) await buildIfStale();
process.argv.push('offline', 'start');
createRequire(import.meta.url)('serverless/bin/serverless.js');

/** A cache directory in node_modules or, if that is not writable, a temporary one. */
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
