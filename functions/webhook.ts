import { answerCreated, PlainAnswer } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { post, postRefusals } from '../lib/incoming-webhooks/post.ts';
import { webhookSecret } from '../lib/members/webhooks.ts';
import { shownMessage } from '../lib/messages/messages.ts';

/** `/api/webhooks/{secret}`: the incoming webhooks, which post messages from other programs. */
export const handler = endpoint({
  POST: operation({
    summary: "Post a message with a webhook: a `text`, Slack's format, or an event of GitHub, GitLab, Alertmanager or Grafana",
    access: 'anyone',
    path: { secret: webhookSecret },
    isForeign: true,
    status: 201,
    answer: shownMessage.schema,
    isIdempotent: true,
    refusals: postRefusals,
    run: async ({ path: { secret }, raw, request: { headers } }) => {
      const { shape, message } = await post(secret, { bytes: raw(), headers });
      if (!message) return new PlainAnswer();
      return shape === 'slack' ? new PlainAnswer('ok') : answerCreated(message);
    },
  }),
});
