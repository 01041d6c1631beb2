import { TOTP, URI } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { acceptedStep, codeOf, newSecret, stepAt, toBase32, toUri } from '../../../lib/second-factor/totp.ts';
import { createRandom, testSeed } from '../../../packages/embedded-mongodb/test/support/random.ts';

const secret = Buffer.from('12345678901234567890');
const halfMinute = 30_000;

describe('a code by time', () => {
  // RFC 6238, appendix B. The last six of its eight digits are an app's code.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('a code by time is at second %i the end of %s', (second, code) => {
    expect(codeOf(secret, stepAt(second * 1_000))).toBe(code.slice(-6));
  });

  it('a code by time is that of an authenticator app, for any secret and time', () => {
    const random = createRandom(testSeed);
    for (let round = 0; round < 200; round++) {
      const [some, timestamp] = [newSecret(), random.below(4_000_000_000_000)];
      const app = URI.parse(toUri(some, { issuer: 'Chat: ours & yours', account: 'ann' })) as TOTP;
      expect(app).toBeInstanceOf(TOTP);
      expect(app).toMatchObject({ issuer: 'Chat  ours & yours', label: 'ann', algorithm: 'SHA1', digits: 6, period: 30 });
      expect(app.secret.base32).toBe(toBase32(some));
      expect(codeOf(some, stepAt(timestamp))).toBe(app.generate({ timestamp }));
    }
  });

  it('a code by time is accepted for one step before and after its own, to the millisecond', () => {
    const at = 1_000_000;
    const code = codeOf(secret, at);
    const [begin, end] = [(at - 1) * halfMinute, (at + 2) * halfMinute];
    const times = [begin - 1, begin, end - 1, end];
    expect(times.map((time) => acceptedStep(secret, code, { time, after: 0 }))).toEqual([undefined, at, at, undefined]);
  });

  it('a code by time is not accepted after it, or a later one, was used', () => {
    const time = 1_000_000 * halfMinute;
    const [before, now, next] = [-1, 0, 1].map((offset) => codeOf(secret, 1_000_000 + offset)) as [string, string, string];
    const accepted = (after: number) => [before, now, next].map((code) => acceptedStep(secret, code, { time, after }));
    expect(accepted(1_000_000)).toEqual([undefined, undefined, 1_000_001]);
    expect(accepted(999_998)).toEqual([999_999, 1_000_000, 1_000_001]);
  });

  it('a code by time is not accepted with another digit, or one too many or too few', () => {
    const time = 59_000;
    expect(['287082', '2870820', '28708', '287083', ''].map((code) => acceptedStep(secret, code, { time, after: 0 }))).toEqual([
      1,
      ...Array(4).fill(undefined),
    ]);
  });
});

// RFC 4648, 10.
it.each([
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('Base32 of %s is %s', (text, encoded) => {
  expect(toBase32(Buffer.from(text))).toBe(encoded);
});
