import { expect, it, vi } from 'vitest';
import { anAccount } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';
import { aDevice, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { inProcess as call } from '../../support/transports.ts';

usePushService();
useConfig({ LOG_LEVEL: 'error', PUBLIC_URL: 'http://chat.example:3000' });

it('a push that its service refuses is logged with the reason, and its user is sent to the operator', async () => {
  const [{ token }, device] = [await anAccount(), aDevice()];
  const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
  device.answer = { status: 403, reason: '{"reason":"BadJwtToken"}' };
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const body = { ...subscriptionOf(device, key), send_test: true };
  const reply = await call('PUT', '/api/push-subscription', { token, body });
  const lines = () => write.mock.calls.map(([line]) => String(line)).join('');
  await expect.poll(lines).toContain('a push service refused a push');
  const written = lines();
  write.mockRestore();
  expect(reply).toMatchObject({ status: 409, body: { code: 'push_refused' } });
  const line = written.split('\n').find((one) => one.includes('refused a push')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({
    level: 'error',
    host: new URL(device.endpoint).host,
    status: 403,
    reason: '{"reason":"BadJwtToken"}',
    hint: expect.stringContaining('PUBLIC_URL'),
  });
});
