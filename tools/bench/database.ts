import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchDatabase } from 'embedded-mongodb/launch';

/** Runs `use` with a temporary directory, which is deleted afterwards. */
export async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'chat-bench-'));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs `use` with the database of `MONGODB_URI` or, if it is not set, a temporary embedded one. */
export async function withDatabase<T>(use: (uri: string) => Promise<T>): Promise<T> {
  if (process.env.MONGODB_URI) return use(process.env.MONGODB_URI);
  return withDirectory(async (dataDir) => {
    const database = await launchDatabase({ dataDir });
    try {
      return await use(database.uri);
    } finally {
      await database.close();
    }
  });
}
