import { MongoServerError } from 'mongodb';
import { expect, it } from 'vitest';
import { isDatabaseUnavailable, whyUnavailable } from '../../../lib/database/failures.ts';

it.each([
  ['a call that took too long', 50, true],
  ['a primary that steps down', 189, true],
  ['a disk without space', 14_031, true],
  ['a disk that failed to write', 39, true],
  ['a value that no index admits twice', 11_000, false],
  ['a write that failed, and not for the disk', 96, false],
  ['a call that is wrong', 2, false],
])('%s (code %o) says that the database is unavailable: %o', (_what, code, isUnavailable) => {
  expect(isDatabaseUnavailable(new MongoServerError({ message: 'refused', code }))).toBe(isUnavailable);
});

it.each([
  [14_031, 'disk_full', 'The disk of the database is full: nothing can be written until there is space.'],
  [39, 'disk_failed', 'The disk of the database failed: nothing can be written until the service is restarted.'],
  [366, 'database_damaged', 'The file of the database is damaged where this is stored.'],
])('code %o (%s) says what is wrong with the disk', (code, reason, description) => {
  expect(whyUnavailable(new MongoServerError({ message: 'refused', code }))).toEqual({ description, reason, isLasting: true });
});
