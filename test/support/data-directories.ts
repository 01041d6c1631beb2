import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/**
 * A directory for the data directories of a test file, and the environment of a command for one of
 * them.
 */
export function dataDirectories(what: string) {
  const directory = join(tmpdir(), `${what}-${randomUUID()}`);
  beforeAll(() => mkdir(directory));
  afterAll(() => rm(directory, { recursive: true }));
  const environmentOf = (name: string) => ({
    MONGODB_URI: '',
    MONGODB_DATABASE: 'chat',
    AUDIT_LOG: '',
    DATA_DIR: join(directory, name),
  });
  return { directory, environmentOf };
}
