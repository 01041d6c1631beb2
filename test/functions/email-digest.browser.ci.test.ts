import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { digests } from '../../lib/collections/delivery/digests.ts';
import { hashToken } from '../../lib/identity/authenticate.ts';
import { randomToken } from '../../lib/identity/tokens.ts';
import { anAccount } from '../support/accounts.ts';
import { browser } from '../support/browser.ts';
import { offlineUrl } from '../support/services.ts';
import { inProcess as call } from '../support/transports.ts';

it('in a browser, the link in an e-mail asks first, and its button ends these e-mails', async () => {
  const { id, token } = await anAccount();
  const link = randomToken();
  await digests.insertOne({ _id: new ObjectId(id), links: [hashToken(link)] });
  const page = await (await browser()).newPage({ viewport: { width: 360, height: 740 } });
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  const wanted = async () => ((await call('GET', '/api/users/me', { token })).body as { email_digest?: false }).email_digest;

  await page.goto(`${await offlineUrl()}/api/email-digest/${link}`);
  const button = page.getByRole('button', { name: 'Stop these e-mails' });
  await button.waitFor();
  expect(await wanted()).toBeUndefined();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await button.click();
  await page.getByRole('status').getByText('You will no longer get e-mails').waitFor();
  expect(await wanted()).toBe(false);
  expect(problems).toEqual([]);
  await page.close();
});
