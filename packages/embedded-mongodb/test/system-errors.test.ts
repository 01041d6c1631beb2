import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explainSystemError } from '../src/storage/file/system-errors.ts';

const circumstances = { account: "user 'chat'", openFiles: '1024' };
const refused = (code: string, path?: string) => Object.assign(new Error(`${code}: refused`), { code, path });

describe('the explanation of a refusal of the operating system', () => {
  it.each([
    ['EACCES', '/data/database.sqlite', "user 'chat' may not open or change /data/database.sqlite"],
    ['EPERM', '/data', "user 'chat' may not open or change /data"],
    ['EROFS', '/data', '/data is on a file system that is mounted read-only'],
    ['ENOSPC', '/data', 'no space is left for /data'],
    ['EDQUOT', undefined, 'no space is left for a file'],
    ['EMFILE', undefined, 'this process has as many files open as it may, 1024'],
    ['ENFILE', undefined, 'this machine has as many files open as it may'],
  ])('the explanation of %s names the user, the path or the limit', (code, path, sentence) => {
    expect(explainSystemError(refused(code, path), circumstances)).toMatch(`${sentence} (${code})`);
  });

  it('the explanation has the limit of this process', () => {
    const limit = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    expect(explainSystemError(refused('EMFILE'))).toContain(` ${limit} `);
  });

  it('the explanation is left to the error itself if nothing better is known', () => {
    expect(explainSystemError(refused('ENOENT', '/data'))).toBe(undefined);
    expect(explainSystemError(new TypeError('wrong'))).toBe(undefined);
  });
});
