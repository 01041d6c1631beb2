import { DatabaseError } from '../values/errors.ts';

/** Error 73: InvalidNamespace. */
export const invalidNamespace = (message: string) => new DatabaseError(73, message);

/** Throws if a database or collection name is invalid in MongoDB. */
export function checkNames(db: string, name: string): void {
  checkDatabaseName(db);
  if (name === '' || name.startsWith('.') || name.endsWith('.') || name.includes('..') || /[$\0]/.test(name))
    throw invalidNamespace(`Invalid collection name: ${name}`);
  if (name.startsWith('system.')) throw invalidNamespace(`Invalid system namespace: ${db}.${name}`);
  if (Buffer.byteLength(`${db}.${name}`) > 255) throw invalidNamespace('Fully qualified namespace is too long. Max: 255');
}

function checkDatabaseName(db: string): void {
  if (db === '' || Buffer.byteLength(db) > 63 || /[/\\. "$\0]/.test(db)) throw invalidNamespace(`Invalid database name: '${db}'`);
}
