import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { useConfig } from '../../support/config.ts';

/** In place of SSM. */
let answer: { status: number; body: object } = { status: 400, body: { __type: 'ParameterNotFound' } };
let asked = 0;
const ssm = createServer((_request, response) => {
  asked++;
  response.writeHead(answer.status).end(JSON.stringify(answer.body));
}).listen(0, '127.0.0.1');
await once(ssm, 'listening');
afterAll(() => void ssm.close());

// Before the module reads its environment.
useConfig({
  SMTP_URL: 'ssm:/chat/smtp-url',
  MAIL_FROM: 'chat@example.org',
  PUBLIC_URL: 'https://chat.example.org',
  AWS_ENDPOINT_URL_SSM: `http://127.0.0.1:${(ssm.address() as AddressInfo).port}`,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id-of-the-role',
  AWS_SECRET_ACCESS_KEY: 'key-of-the-role',
});
await import('../../../hosts/aws/runtime/start-carrier.ts');
const { readSmtpUrl } = await import('../../../lib/settings/smtp-url.ts');

describe('the parameter of the mail server', () => {
  it('the parameter of the mail server is read when it is needed, again after a failure, and then kept', async () => {
    expect(asked).toBe(0);
    await expect(readSmtpUrl()).rejects.toThrow('The SSM parameter /chat/smtp-url could not be read: ParameterNotFound');
    answer = { status: 200, body: { Parameter: { Value: 'mail.example.org' } } };
    await expect(readSmtpUrl()).rejects.toThrow('The SSM parameter /chat/smtp-url is not the address of a mail server');
    answer = { status: 200, body: { Parameter: { Value: 'smtps://chat:s3cret@mail.example.org\n' } } };
    const read = await Promise.all([readSmtpUrl(), readSmtpUrl()]);
    expect(read).toEqual(Array(2).fill('smtps://chat:s3cret@mail.example.org'));
    expect(await readSmtpUrl()).toBe(read[0]);
    expect(asked).toBe(3);
  });
});
