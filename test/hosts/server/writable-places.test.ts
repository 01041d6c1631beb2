import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { requireWritable } from '../../../hosts/server/writable-places.ts';

const directory = mkdtempSync(join(tmpdir(), 'chat-places-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('a directory that is missing is created, and nothing is left in it', async () => {
  await requireWritable('FILES', join(directory, 'new', 'files'));
  expect(readdirSync(join(directory, 'new', 'files'))).toEqual([]);
});

it('the check of a writable directory changes nothing in it', async () => {
  mkdirSync(join(directory, 'used'));
  writeFileSync(join(directory, 'used', 'file'), '');
  await requireWritable('FILES', join(directory, 'used'));
  expect(readdirSync(join(directory, 'used'))).toEqual(['file']);
});

it('a path below a file is refused, with the name of the setting', async () => {
  writeFileSync(join(directory, 'file'), '');
  await expect(requireWritable('BACKUP_DIR', join(directory, 'file', 'backups'))).rejects.toThrow(
    /^Set BACKUP_DIR to a directory that the service can write to: ENOTDIR: not a directory/,
  );
});
