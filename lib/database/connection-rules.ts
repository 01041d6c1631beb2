import { ConfigError } from '../settings/settings.ts';

/**
 * The options of a connection string that take precedence over those of the code, or add to them, and on which the service relies. Each has the
 * only value that is accepted, if there is one. https://www.mongodb.com/docs/manual/reference/connection-string-options/
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

/** Refuses a connection string that weakens what the service relies on: reads that see earlier writes, and writes that are on disk. */
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
