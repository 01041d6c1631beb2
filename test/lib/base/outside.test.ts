import { ObjectId } from 'mongodb';
import { afterAll, expect, it } from 'vitest';
import { type Party, waitOutside, withTurn } from '../../../lib/base/outside.ts';
import { sendMail } from '../../../lib/net/mail.ts';
import { signInAddress } from '../../../lib/oidc/provider.ts';
import { config } from '../../../lib/settings/config.ts';
import { useConfig } from '../../support/config.ts';

useConfig({
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'chat@example.org',
  PUBLIC_URL: 'https://chat.example.org',
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'chat',
});

const hanging: (() => void)[] = [];
afterAll(() => {
  for (const end of hanging) end();
});

/** Runs work for a caller whose other requests fill the queue of an outside party. */
function whileBusy<T>(party: Party, work: () => Promise<T>): Promise<T> {
  const caller = new ObjectId().toHexString();
  return withTurn({ caller, pause: () => {}, leave: () => {}, resume: async () => {} }, () => {
    for (let count = 0; count < 20; count++)
      waitOutside(party, () => new Promise<void>((resolve) => hanging.push(resolve))).catch(() => undefined);
    return work();
  });
}

it.each<[Party, () => Promise<unknown>]>([
  ['mail server', () => sendMail({ to: 'ann@example.org', subject: 'Hello', text: 'Hello' })],
  ['identity provider', () => signInAddress(config.identityProviders[0] as never, { state: 'a', nonce: 'b', verifier: 'c' })],
])(
  'a request that finds too many others waiting for the %s is refused as busy, and not as if it were out of reach',
  async (party, ask) => {
    await expect(whileBusy(party, ask)).rejects.toMatchObject({ status: 503, body: { code: 'busy' } });
    // Without others, the answer names the party.
    await expect(ask()).rejects.toMatchObject({ status: 503, body: { code: expect.not.stringContaining('busy') } });
  },
);
