import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSettings } from '../../../hosts/aws/template/check-settings.ts';
import { readDeploymentSettings } from '../../../hosts/aws/template/deployment-settings.ts';
import type { Serverless } from '../../../hosts/aws/template/serverless.ts';
import { serverless } from '../../../tools/harness/functions.ts';

const serviceDir = mkdtempSync(join(tmpdir(), 'chat-settings-'));
afterAll(() => rmSync(serviceDir, { recursive: true }));

/** Checks the settings in the file of a stage, with the defaults of `serverless.yml`. */
async function check(file: string): Promise<void> {
  const written = parseEnv(file);
  const definition = JSON.stringify(serverless).replaceAll(/\$\{env:(\w+), '([^']*)'\}/g, (_, name, usual) =>
    JSON.stringify(written[name] ?? usual).slice(1, -1),
  );
  const service = JSON.parse(definition.replaceAll(/\$\{sls:stage\}/g, 'prod')) as Serverless['service'];
  writeFileSync(join(serviceDir, '.env.prod'), file);
  const getProvider = () => ({ getStage: () => 'prod' });
  readDeploymentSettings(service.custom.deployment);
  await checkSettings({ serviceDir, service, getProvider } as unknown as Serverless);
}

/* test/hosts/aws/package.ci.test.ts runs `serverless package` with some of these settings. */
describe('the settings of a deployment', () => {
  it.each([
    [''],
    ['REGISTRATION=closed'],
    ['SMTP_URL=ssm:/chat/smtp-url\nMAIL_FROM=chat@example.org\nPUBLIC_URL=https://chat.example.org'],
    ['FILES=s3://chat-files/prod'],
    ['VPC_SUBNETS=subnet-0a1b2c3d\nVPC_SECURITY_GROUPS=sg-0a1b2c3d'],
    ['ALARM_EMAIL=ops@example.org'],
    ['CONCURRENCY_MESSAGES=60'],
  ])('the settings of a deployment may be %j', async (file) => {
    await expect(check(file)).resolves.toBeUndefined();
  });

  it.each([
    ['REGISTRATION=maybe', "Set REGISTRATION to one of open, invited, closed, not 'maybe'."],
    ['CONCURRENCY_MESAGES=60', 'Unknown setting CONCURRENCY_MESAGES.'],
    [
      'SMTP_URL=smtps://chat:secret@mail.example.org',
      'Set SMTP_URL to the SSM parameter that has it, such as ssm:/chat-service/prod/smtp-url: it is a secret.',
    ],
    [
      `SECRET_KEY=${'ab'.repeat(32)}`,
      'Set SECRET_KEY to the SSM parameter that has it, such as ssm:/chat-service/prod/secret-key',
    ],
    ['REQUIRE_2FA=all', 'Set SECRET_KEY as well'],
    ['SMTP_URL=ssm:smtp-url', 'Set SMTP_URL to the SSM parameter'],
    ['EMAIL_CONFIRMATION=required', 'Set SMTP_URL as well'],
    [
      'OIDC_CLIENT_SECRET=secret',
      'Set OIDC_CLIENT_SECRET to the SSM parameter that has it, such as ssm:/chat-service/prod/oidc-secret: it is a secret.',
    ],
    [
      'OIDC_PROVIDERS=\'[{"id":"gitlab","name":"GitLab","issuer":"https://gitlab.example.org","client_id":"a","client_secret":"b"}]\'',
      "Set the client_secret of 'gitlab' in OIDC_PROVIDERS to the SSM parameter that has it, such as ssm:/chat-service/prod/oidc-gitlab",
    ],
    ['OIDC_PROVIDERS=gitlab', 'Set OIDC_PROVIDERS to a list in JSON of at most 10 identity providers.'],
    ['SIGN_IN=oidc', 'Set OIDC_ISSUER as well'],
    ['FILES=/srv/files', 'Leave FILES out, or set it to a bucket such as s3://chat-files'],
    ['FILES=s3://Chat', 'Set FILES to a directory, or to a bucket such as s3://chat-files'],
    ['FILES_ENDPOINT=https://s3.example.org', 'Leave FILES_ENDPOINT out: functions use the keys of their roles'],
    ['CLOUDFRONT_SECRET=0123456789abcdef', 'Set CLOUDFRONT_SECRET to the SSM parameter that has it'],
    ['VPC_SUBNETS=subnet-0a1b2c3d', 'Set both VPC_SUBNETS and VPC_SECURITY_GROUPS, or neither.'],
    ['ALARM_EMAIL=nonsense', "Set ALARM_EMAIL to an e-mail address, not 'nonsense'."],
  ])('the settings of a deployment are refused if the server would not start: %s', async (line, sentence) => {
    await expect(check(`${line}\n`)).rejects.toThrow(sentence);
  });
});
