import { describe, expect, it } from 'vitest';
import { isComposing, shortcutKey } from '../src/device/keyboard.ts';

describe('the key of a shortcut', () => {
  it.each([
    ['on a keyboard for English', 'k', 'KeyK', 'k'],
    ['with Caps Lock', 'K', 'KeyK', 'k'],
    ['on a Russian keyboard', 'л', 'KeyK', 'k'],
    ['on a Greek keyboard', 'κ', 'KeyK', 'k'],
    ['on a Hebrew keyboard', 'ל', 'KeyK', 'k'],
    ['on an Arabic keyboard', 'ن', 'KeyK', 'k'],
    ['on a Thai keyboard', 'า', 'KeyK', 'k'],
    ['on a Devanagari keyboard', 'क', 'KeyK', 'k'],
    ['on a Hangul keyboard', 'ㅏ', 'KeyK', 'k'],
    ['as full-width Latin', 'Ｋ', 'KeyK', 'k'],
    ['on a Dvorak keyboard, where another key has the letter', 'k', 'KeyV', 'k'],
    ['on a French keyboard, where the letters have changed places', 'a', 'KeyQ', 'a'],
    ['on a Russian keyboard, where the slash is a full stop', '.', 'Slash', '/'],
    ['on an Arabic keyboard, where the slash is a letter', 'ظ', 'Slash', '/'],
    ['on a German keyboard, where the slash is above a digit', '/', 'Digit7', '/'],
    ['on a German keyboard, where the hyphen is at its place', '-', 'Slash', '-'],
    ['on a Thai keyboard, where the plus is a letter', 'ฌ', 'Equal', '+'],
    ['when it is not a letter', 'Escape', 'Escape', 'Escape'],
  ])('the key of a shortcut is the same %s', (_where, key, code, shortcut) => {
    expect(shortcutKey({ key, code })).toBe(shortcut);
  });

  it.each([
    ['while a composition goes on', true, 13, true],
    ['when Safari has just ended a composition', false, 229, true],
    ['when nothing is composed', false, 13, false],
  ])('a key is left to the input method only during a composition: %s', (_when, composing, keyCode, isTaken) => {
    expect(isComposing({ isComposing: composing, keyCode })).toBe(isTaken);
  });
});
