import { describe, expect, it } from 'vitest';
import { newUsername } from '../../../lib/identity/account-names.ts';
import { otherName, suggestUsername, usernameFrom } from '../src/account/suggested-name.ts';

const cases: [address: string, suggested: string][] = [
  ['ann@example.org', 'ann'],
  ['Ann.Example@example.org', 'ann.example'],
  [' ann@example.org ', 'ann'],
  // While it is typed.
  ['an', 'an'],
  ['', ''],
  ['@example.org', ''],
  // A tag sorts the e-mail of one mailbox.
  ['ann+chat@example.org', 'ann'],
  ['+ann@example.org', 'ann'],
  ['josé.müller@example.org', 'jose.muller'],
  ['straße_ærø-łódź@example.org', 'strasse_aero-lodz'],
  ['ANN@example.org', 'ann'],
  ['\u212Aelvin@example.org', 'kelvin'],
  ["o'brien!ann@example.org", 'o.brien.ann'],
  ['_ann_@example.org', 'ann_'],
  ['.ann.@example.org', 'ann'],
  ['ann@example.org@example.net', 'ann'],
  ['1234@example.org', '1234'],
  ['٣٤ann@example.org', '34ann'],
  ['анна@example.org', ''],
  ['用户@example.org', ''],
  ['مريم@example.org', ''],
  ['😀ann@example.org', 'ann'],
  ['0123456789abcdef01234567@example.org', '0123456789ab'],
  [`${'a'.repeat(70)}@example.org`, 'a'.repeat(56)],
  [`${'a'.repeat(55)}.b@example.org`, 'a'.repeat(55)],
];

describe('the username that an address suggests', () => {
  it.each(cases)('for %s it is %j, which the service accepts', (address, suggested) => {
    expect(usernameFrom(address)).toBe(suggested);
    expect(newUsername.read(suggested)).toBe(suggested || undefined);
  });

  it.each([
    ['Maria Lindqvist', 'ml@example.org', 'maria.lindqvist'],
    ['  José  Müller-Øst ', '', 'jose.muller-ost'],
    ["Seán O'Brien", '', 'sean.o.brien'],
    ['山田 Taro', '', 'taro'],
    // Nothing in Latin letters, or too little: the address is better.
    ['أمير حداد', 'amir.haddad@example.org', 'amir.haddad'],
    ['X', 'xenia@example.org', 'xenia'],
    ['X', '', 'x'],
    ['', 'ann+chat@example.org', 'ann'],
    ['Анна', '', ''],
    ['Dr. '.repeat(30), '', `${'dr..'.repeat(14)}`.replace(/\.+$/, '')],
  ])('a new account of %j with the address %j gets %j', (name, address, suggested) => {
    expect(suggestUsername(name, address)).toBe(suggested);
    expect(newUsername.read(suggested)).toBe(suggested || undefined);
  });

  it('after a refusal it has a number, and after some one of many, and the service takes each', () => {
    const base = usernameFrom(`${'a'.repeat(70)}@example.org`);
    const [second, third] = [otherName(base, base), otherName(base, `${base}2`)];
    expect([second, third]).toEqual([`${base}2`, `${base}3`]);
    const later = otherName(base, third);
    expect(later.slice(base.length)).toMatch(/^[1-9]\d{2,3}$/);
    expect(newUsername.read(later)).toBe(later);
  });
});
