import type { RoomTask } from '../../../lib/notices/carrier.ts';

/** The queue of each task, and how long its entries are delayed. */
export const queues: Record<RoomTask, { id: string; variable: string; delaySeconds: number }> = {
  webhooks: { id: 'WebhooksQueue', variable: 'WEBHOOKS_QUEUE', delaySeconds: 0 },
  devices: { id: 'DevicesQueue', variable: 'DEVICES_QUEUE', delaySeconds: 4 },
};

/** Time until a failed entry is retried. It must exceed the time limit of the function. */
const retrySeconds = 60;
const attempts = 5;
const deadLetterSeconds = 14 * 86_400;

/**
 * The queues, including one for entries that failed repeatedly. They are FIFO queues: one function
 * at a time processes a room's entries, and duplicates are dropped.
 */
export const queueResources = (prefix: string) => ({
  ...Object.fromEntries(
    Object.entries(queues).map(([task, { id, delaySeconds }]) => [
      id,
      queue(`${prefix}-${task}`, {
        DelaySeconds: delaySeconds,
        VisibilityTimeout: retrySeconds,
        RedrivePolicy: {
          deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetterQueue', 'Arn'] },
          maxReceiveCount: attempts,
        },
      }),
    ]),
  ),
  DeadLetterQueue: queue(`${prefix}-dead-letters`, { MessageRetentionPeriod: deadLetterSeconds }),
});

const queue = (name: string, properties: object) => ({
  Type: 'AWS::SQS::Queue',
  Properties: { QueueName: `${name}.fifo`, FifoQueue: true, SqsManagedSseEnabled: true, ...properties },
});
