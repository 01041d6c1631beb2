import { expect, it } from 'vitest';
import { nearestName } from '../../../lib/settings/nearest-name.ts';

it.each([
  ['Thread', 'thread'],
  ['txet', 'text'],
  ['rooms', 'room'],
  ['idempotancy_keys', 'idempotency_key'],
  ['txt', 'text'],
  ['tex', 'text'],
  ['te', undefined],
  ['q', undefined],
  ['colour', undefined],
])('the nearest name of %s is %s', (name, meant) => {
  expect(nearestName(name, ['text', 'room', 'thread', 'idempotency_key', 'p'])).toBe(meant);
});
