import { describe, expect, it } from 'vitest';
import { deviceNameOf } from '../src/text/device-names.ts';

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';

describe('the name of a device', () => {
  it.each<[agent: string, browser: string | undefined, system: string | undefined, isPhone: boolean]>([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'Linux', false],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`, 'Chrome', 'Windows', false],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/140.0.0.0`, 'Edge', 'Windows', false],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/18.0 Safari/605.1.15`, 'Safari', 'Mac', false],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webKit} Version/18.0 Mobile/15E148 Safari/604.1`,
      'Safari',
      'iPhone',
      true,
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webKit} CriOS/140.0 Mobile/15E148 Safari/604.1`,
      'Chrome',
      'iPhone',
      true,
    ],
    [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${chrome} Mobile Safari/537.36`, 'Chrome', 'Android', true],
    [
      `Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 SamsungBrowser/27.0 Chrome/125.0 Safari/537.36`,
      'Samsung Internet',
      'Android',
      false,
    ],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome} Safari/537.36`, 'Chrome', 'ChromeOS', false],
    ['curl/8.5.0', 'curl', undefined, false],
    ['node', 'node', undefined, false],
    ['session', undefined, undefined, false],
    ['', undefined, undefined, false],
    ['<script>alert(1)</script>', undefined, undefined, false],
  ])('%s', (agent, browser, system, isPhone) => {
    expect(deviceNameOf(agent)).toEqual({ browser, system, isPhone });
  });
});
