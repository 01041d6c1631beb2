import { expect, it } from 'vitest';
import { beginUpload, endUpload, type Upload } from '../../../hosts/server/http/uploads.ts';

it('a slow upload gives way when there is no place left for another caller, and a quick one does not', () => {
  const begun: (Upload | undefined)[] = [];
  for (let at = 0; at < 64; at++) begun.push(beginUpload(`caller ${at % 16}`, 0));
  expect(begun).not.toContain(undefined);
  // All have just begun.
  expect(beginUpload('ann', 1_000)).toBeUndefined();
  for (const [at, upload] of begun.entries()) if (upload) upload.received = at === 7 ? 20_000 : 10_000_000;
  const own = beginUpload('ann', 10_000);
  expect(own).toBeDefined();
  expect(begun.map((upload) => upload?.signal.aborted).indexOf(true)).toBe(7);
  expect(begun.filter((upload) => upload?.signal.aborted)).toHaveLength(1);
  expect(beginUpload('bob', 10_000)).toBeUndefined();
  for (const upload of [...begun, own]) if (upload) endUpload(upload);
});

it('one caller has six uploads at a time', () => {
  const begun = Array.from({ length: 6 }, () => beginUpload('ann'));
  expect(begun).not.toContain(undefined);
  expect(beginUpload('ann')).toBeUndefined();
  expect(beginUpload('bob')).toBeDefined();
});
