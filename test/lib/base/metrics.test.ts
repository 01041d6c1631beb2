import { expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';

const ended = { function: 'rooms', method: 'GET', status: 503, milliseconds: 12 };
const script = `import { embeddedMetrics } from './lib/base/metrics.ts'; console.log(JSON.stringify(embeddedMetrics(${JSON.stringify(ended)}, 42)));`;

it.each([
  [
    'is a metric on Lambda with METRICS=on',
    { METRICS: 'on', AWS_LAMBDA_FUNCTION_NAME: 'rooms' },
    {
      _aws: {
        Timestamp: 42,
        CloudWatchMetrics: [
          {
            Namespace: 'chat-service',
            Dimensions: [['function']],
            Metrics: [
              { Name: 'milliseconds', Unit: 'Milliseconds' },
              { Name: 'server_errors', Unit: 'Count' },
            ],
          },
        ],
      },
      function: 'rooms',
      server_errors: 1,
    },
  ],
  ['is not a metric on Lambda by default', { AWS_LAMBDA_FUNCTION_NAME: 'rooms' }, {}],
  ['is not a metric elsewhere', { METRICS: 'on' }, {}],
])('the metrics of a log line: it %s', async (_when, environment, expected) => {
  const { stdout, stderr } = await runCommand(['node', '--input-type=module', '-e', script], { environment });
  expect({ line: JSON.parse(stdout), stderr }).toEqual({ line: expected, stderr: '' });
});

it('a log line about a push gives three metrics, of all pushes together', async () => {
  const of = `import { pushMetrics } from './lib/base/metrics.ts'; console.log(JSON.stringify(pushMetrics(42)));`;
  const environment = { METRICS: 'on', AWS_LAMBDA_FUNCTION_NAME: 'push' };
  const { stdout } = await runCommand(['node', '--input-type=module', '-e', of], { environment });
  const Metrics = ['sent', 'gone', 'dropped'].map((Name) => ({ Name, Unit: 'Count' }));
  expect(JSON.parse(stdout)).toEqual({
    _aws: { Timestamp: 42, CloudWatchMetrics: [{ Namespace: 'chat-service', Dimensions: [[]], Metrics }] },
  });
});
