import { MongoClient, MongoServerError } from 'mongodb';
import { clientOptions } from './client.ts';
import { connectionString } from './connection-string.ts';

/** Has the embedded database copy itself into a new directory, by its absolute path, while others go on working. */
export async function backUp(directory: string): Promise<void> {
  // A large copy takes longer than any request may.
  const client = new MongoClient(connectionString, { ...clientOptions, socketTimeoutMS: 0 });
  try {
    await client.db('admin').command({ backup: 1, directory });
  } catch (error) {
    if (error instanceof MongoServerError && error.code === commandNotFound)
      throw new Error('Only the embedded database copies itself: use the backups of your cluster, or export.');
    throw error;
  } finally {
    await client.close();
  }
}

const commandNotFound = 59;
