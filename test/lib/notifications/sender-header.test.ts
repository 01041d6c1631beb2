import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import webPush from 'web-push';
import { senderHeader } from '../../../lib/notifications/sender-header.ts';

const origin = 'https://push.example.org';
const hour = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

/** The time when a header expires, in milliseconds. */
const expiryOf = (header: string): number => {
  const [, claims = ''] = header.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).exp * 1_000;
};

it('the header that says who sends is signed once for each push service and key', () => {
  const [pair, other] = [webPush.generateVAPIDKeys(), webPush.generateVAPIDKeys()];
  const header = senderHeader(origin, pair);
  expect(senderHeader(origin, pair)).toBe(header);
  expect(senderHeader('https://other.example.org', pair)).not.toBe(header);
  expect(senderHeader(origin, other)).not.toBe(header);
  expect(senderHeader(origin, pair)).toBe(header);
});

it('the header that says who sends is renewed long before it expires, and when the clock is set back', () => {
  const pair = webPush.generateVAPIDKeys();
  const header = senderHeader(origin, pair);
  later(6 * hour - 1_000);
  expect(senderHeader(origin, pair)).toBe(header);
  later(2_000);
  const renewed = senderHeader(origin, pair);
  expect(renewed).not.toBe(header);
  expect(expiryOf(renewed) - Date.now()).toBeGreaterThan(11 * hour);
  later(-24 * hour);
  const again = senderHeader(origin, pair);
  expect(again).not.toBe(renewed);
  expect(expiryOf(again) - Date.now()).toBeLessThanOrEqual(12 * hour);
});

it('the oldest headers that identify the sender are evicted when there are too many', () => {
  const pair = webPush.generateVAPIDKeys();
  const [first, second] = [senderHeader(origin, pair), senderHeader('https://second.example.org', pair)];
  for (let made = 0; made < 99; made++) senderHeader(`https://${made}.example.org`, pair);
  expect(senderHeader('https://second.example.org', pair)).toBe(second);
  expect(senderHeader(origin, pair)).not.toBe(first);
});
