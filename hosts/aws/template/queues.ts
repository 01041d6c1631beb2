import type { RoomTask } from '../../../lib/notices/carrier.ts';

/** The queue of each task for rooms that have news, and how long an entry waits in it. */
export const queues: Record<RoomTask, { id: string; variable: string; delaySeconds: number }> = {
  webhooks: { id: 'WebhooksQueue', variable: 'WEBHOOKS_QUEUE', delaySeconds: 0 },
  devices: { id: 'DevicesQueue', variable: 'DEVICES_QUEUE', delaySeconds: 4 },
};

/** An entry whose function fails comes back after this time, which is longer than the function runs. */
const retrySeconds = 60;
const attempts = 5;
const deadLetterSeconds = 14 * 86_400;

/**
 * The queues, with one for entries that failed each time. They are FIFO queues: those have the entries of a room in
 * one function at a time, and an entry that is sent twice once.
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
