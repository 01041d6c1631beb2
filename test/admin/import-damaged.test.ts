import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { database } from '../../lib/database/client.ts';
import { useOwnDatabase } from '../support/config.ts';
import { admin } from '../support/run-command.ts';

useOwnDatabase();

const directory = await mkdtemp(join(tmpdir(), 'chat-import-'));
afterAll(() => rm(directory, { recursive: true }));

// An export of the database with one room, which is gone when each test begins.
const original = join(directory, 'original.ndjson');
const rooms = database.collection('rooms');
beforeAll(async () => {
  await rooms.insertOne({ name: 'café' });
  expect(await admin(['export', original])).toMatchObject({ code: 0 });
});
beforeEach(() => rooms.deleteMany({}));

/** A copy of the export that was changed. */
async function aFile(change: (text: string) => string | Buffer): Promise<string> {
  const file = join(directory, `${randomBytes(4).toString('hex')}.ndjson`);
  await writeFile(file, change(await readFile(original, 'utf8')));
  return file;
}

const expectNothingImported = async (file: string, sentence: string) => {
  expect(await admin(['import', file])).toEqual({
    code: 1,
    stdout: '',
    stderr: `The file ${file} ${sentence}. Nothing was imported.\n`,
  });
  expect(await rooms.countDocuments()).toBe(0);
  expect(await admin(['import', original])).toMatchObject({ code: 0, stderr: '' });
  expect(await rooms.countDocuments()).toBe(1);
};

describe('admin import', () => {
  it.each([
    ['was cut off', (text: string) => text.slice(0, text.lastIndexOf('{"end"')), 'is incomplete: it was cut off'],
    [
      'lacks a document',
      (text: string) => text.replace(/^\{"collection":"rooms".*\n/m, ''),
      'has 0 documents of rooms, and should have 1',
    ],
    ['is something else', () => '{"a":1}\n', 'is not an export'],
    ['is not JSON', () => 'a,b\n', 'has a line that is not Extended JSON'],
    ['is empty', () => '', 'is not an export'],
    ['lacks its first line', (text: string) => text.slice(text.indexOf('\n') + 1), 'is not an export'],
    ['has two first lines', (text: string) => text.replace(/^.*\n/, '$&$&'), 'is not an export'],
    ['goes on after its end', (text: string) => `${text}{}\n`, 'continues after its end'],
    [
      'has a document that is not one',
      (text: string) => text.replace(/("collection":"rooms","document":).*/, '$1null}'),
      'is not an export',
    ],
    [
      'has another collection',
      (text: string) => text.replaceAll('"rooms"', '"halls"'),
      "has documents of 'halls', which is not a collection of this version",
    ],
    ['is of a later version', (text: string) => text.replace('"version":1', '"version":2'), 'is of another version than 1'],
  ])('admin import reads nothing from a file that %s', async (_what, spoil, sentence) => {
    await expectNothingImported(await aFile(spoil), sentence);
  });

  it('admin import refuses a file that is not UTF-8, instead of replacing what it cannot read', async () => {
    await expectNothingImported(await aFile((text) => Buffer.from(text, 'latin1')), 'is not valid UTF-8');
  });

  it('admin import takes the fields of a line in any order', async () => {
    const file = await aFile((text) => text.replace(/^\{("collection":"rooms"),("document":.*)\}$/m, '{ $2, $1 }'));
    expect(await readFile(file, 'utf8')).not.toBe(await readFile(original, 'utf8'));
    expect(await admin(['import', file])).toMatchObject({ code: 0, stderr: '' });
    expect(await rooms.countDocuments()).toBe(1);
  });
});
