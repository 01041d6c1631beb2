import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { isInObjectStore } from './in-object-store.ts';

/* Imported first, by tests of the store and its quotas: a directory of their own, small quotas, and a database of their own. */

const directory = mkdtempSync(join(tmpdir(), 'chat-files-'));
// Those that run with an object store as well have it by then.
if (!isInObjectStore) Object.assign(process.env, { FILES: directory, FILES_PER_USER: '100kB', FILES_IN_ALL: '250kB' });
await import('./isolated-database.ts');
afterAll(() => rmSync(directory, { recursive: true }));
