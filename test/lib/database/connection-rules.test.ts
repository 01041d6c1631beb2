import { describe, expect, it } from 'vitest';
import { checkConnectionString } from '../../../lib/database/connection-rules.ts';

const uri = (query: string) => `mongodb+srv://ann:secret@db.example/?retryWrites=true${query && `&${query}`}`;

describe('a connection string', () => {
  it.each([
    'readPreference=secondaryPreferred',
    'readpreference=nearest',
    'readPreferenceTags=dc:east',
    'maxStalenessSeconds=120',
    'readConcernLevel=local',
    'w=1',
    'journal=false',
    'wtimeoutMS=100',
    'promoteValues=false',
    'useBigInt64=true',
  ])('a connection string with %s is refused, without its password', (option) => {
    expect(() => checkConnectionString(uri(option))).toThrow(
      new RegExp(`^(?!.*secret).*MONGODB_URI has ${option}, which the service cannot work with: remove it`),
    );
  });

  it.each(['', 'w=majority', 'journal=true', 'readPreference=primary', 'readConcernLevel=majority', 'tls=true', 'appName=chat'])(
    "a connection string with '%s' is accepted",
    (option) => {
      expect(checkConnectionString(uri(option))).toBe(uri(option));
    },
  );
});
