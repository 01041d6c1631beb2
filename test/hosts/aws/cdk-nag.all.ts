import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { packageFunctions } from '../../support/packaged.ts';
import { runCommand } from '../../support/run-command.ts';

/*
 * The template and the rules of cdk-nag for serverless applications:
 * https://github.com/cdklabs/cdk-nag/blob/main/RULES.md
 */

/** The rules that the template breaks: how often, and why that is right. */
const accepted: Record<string, { times: number | 'every function'; because: string }> = {
  'Serverless-APIGWAccessLogging': {
    times: 1,
    because: 'the access log of a WebSocket API needs a role for the whole account, and `socket` logs each event itself',
  },
  'Serverless-EventBusDLQ': { times: 2, because: 'a schedule that fails is repeated at its next time' },
  'Serverless-LambdaAsyncFailureDestination': {
    times: 3,
    because: '`push` carries notices that nobody needs later, and the schedules of the others repeat what failed',
  },
  'Serverless-LambdaDLQ': {
    times: 'every function',
    because: 'a gateway or a queue invokes the functions, and gets their errors itself',
  },
  'Serverless-LambdaEventSourceMappingDestination': {
    times: 2,
    because: 'SQS has no destination for failures: the queues have a dead-letter queue with an alarm',
  },
  'Serverless-LambdaTracing': {
    times: 'every function',
    because: 'X-Ray costs money for each request, and the log has an id for each',
  },
  'Serverless-SQSRedrivePolicy': { times: 1, because: 'it is the dead-letter queue' },
};

/** With its dependencies, it is larger than all development packages together. */
const packages = ['aws-cdk-lib@2.276.0', 'cdk-nag@2.38.2', 'constructs@10.8.1'];

it('the template breaks no rule of cdk-nag for serverless applications but those with a reason', {
  timeout: 600_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'chat-nag-'));
  const cache = resolve('node_modules/.cache/cdk-nag');
  const install = ['npm', 'install', '--prefix', cache, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  expect(await runCommand([...install, ...packages])).toMatchObject({ code: 0 });
  await packageFunctions(directory);
  const template = join(directory, 'packages', 'cloudformation-template-update-stack.json');

  const load = createRequire(join(cache, 'package.json'));
  const { App, Aspects, Stack } = load('aws-cdk-lib');
  const { CfnInclude } = load('aws-cdk-lib/cloudformation-include');
  const { ServerlessChecks } = load('cdk-nag');
  const outdir = join(directory, 'checked');
  const app = new App({ outdir });
  new CfnInclude(new Stack(app, 'chat'), 'Template', { templateFile: template });
  Aspects.of(app).add(new ServerlessChecks({ reports: true }));
  app.synth();

  const report = (await readdir(outdir)).find((file) => file.endsWith('NagReport.csv')) ?? '';
  const lines = (await readFile(join(outdir, report), 'utf8')).split('\n').slice(1).filter(Boolean);
  expect(lines.length).toBeGreaterThan(300);
  const broken = lines.filter((line) => !line.includes('"Compliant"')).map((line) => /^"([^"]+)"/.exec(line)?.[1] ?? line);
  const { Resources } = JSON.parse(await readFile(template, 'utf8')) as { Resources: Record<string, { Type: string }> };
  const functions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function').length;
  const expected = Object.entries(accepted).flatMap(([rule, { times }]) =>
    Array<string>(times === 'every function' ? functions : times).fill(rule),
  );
  expect(broken.sort()).toEqual(expected.sort());
  await rm(directory, { recursive: true });
});
