import { ConfigError } from '../settings/settings.ts';

/**
 * Options of a connection string that override or extend those in the code, and that the service
 * relies on. The value is the only accepted one; undefined if none is accepted.
 * https://www.mongodb.com/docs/manual/reference/connection-string-options/
 */
const fixed: Readonly<Record<string, string | undefined>> = {
  readpreference: 'primary',
  readpreferencetags: undefined,
  maxstalenessseconds: undefined,
  readconcernlevel: 'majority',
  w: 'majority',
  journal: 'true',
  j: 'true',
  fsync: 'true',
  wtimeout: undefined,
  wtimeoutms: undefined,
  promotelongs: 'true',
  promotevalues: 'true',
  promotebuffers: 'false',
  usebigint64: 'false',
  bsonregexp: 'false',
  raw: 'false',
  forceserverobjectid: 'false',
};

/**
 * Refuses a connection string that would weaken guarantees: reads see earlier writes, and
 * acknowledged writes are on disk.
 */
export function checkConnectionString(uri: string): string {
  const query = /^[^?]*\?(.*)$/.exec(uri)?.[1] ?? '';
  for (const [name, value] of new URLSearchParams(query)) {
    const key = name.toLowerCase();
    if (!Object.hasOwn(fixed, key) || value.toLowerCase() === fixed[key]) continue;
    const rule = fixed[key] === undefined ? '' : `, or set it to ${fixed[key]}`;
    throw new ConfigError(
      `The connection string in MONGODB_URI has ${name}=${value}, which the service cannot work with: remove it${rule}.`,
    );
  }
  return uri;
}
