import type { BotWebhook as Webhook } from 'chat-service-client/contract';
import { useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { Deliveries } from '../room/deliveries.tsx';
import { EventChoice, eventsIn } from '../room/event-choice.tsx';
import { attempt, Field, Form, Loading } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';
import { useLoaded } from '../shared/use-list.ts';

const address = '/api/bots/{bot}/webhook';

/**
 * The webhook of a bot: its URL and its events. By default, it sends mentions of the bot and
 * messages in its direct conversations.
 */
export function BotWebhook({ bot, name, hasOne }: { bot: string; name: string; hasOne: boolean }) {
  const params = { path: { bot } };
  const [isThere, setThere] = useState(hasOne);
  const [made, setMade] = useState<string>();
  // Requested only if it exists: browsers log each error response.
  const load = async () => ({ webhook: isThere ? await ask(chat.GET(address, { params })) : undefined });
  const { value, failure, reload } = useLoaded(load, [bot, isThere]);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const { bots: words, webhooks, invitations } = laterStrings;
  const make = async ({ url = '', ...chosen }: Record<string, string>) => {
    setMade((await ask(chat.PUT(address, { params, body: { url, ...choiceIn(chosen) } }))).secret);
    setThere(true);
  };
  const choose = async (chosen: Record<string, string>) => {
    await ask(chat.PATCH(address, { params, body: choiceIn(chosen, value.webhook?.events) }));
    notice(laterStrings.settings.changed);
    reload();
  };
  const revoke = async () => {
    if (!(await confirmed(words.removeWebhookAsk(name), invitations.revoke, { isDangerous: true }))) return;
    await attempt(() => ask(chat.DELETE(address, { params })));
    setMade(undefined);
    setThere(false);
  };
  const { webhook } = value;
  return (
    <>
      <h3>{words.webhook}</h3>
      <p class="muted">{words.webhookHint}</p>
      {made !== undefined && <ShownOnce values={[[webhooks.secret, made]]} />}
      {webhook ? (
        <>
          <span class="row">
            <bdi>{webhooks.sends(new URL(webhook.url).host)}</bdi>
            <button type="button" aria-label={words.removeWebhook} onClick={() => void revoke()}>
              {invitations.revoke}
            </button>
          </span>
          <Form key={JSON.stringify([webhook.events, webhook.messages])} onSubmit={choose} submit={words.choose}>
            <Choice {...webhook} />
          </Form>
          <Deliveries
            webhook={webhook}
            test={() => ask(chat.POST(address, { params, body: {} }))}
            change={(body) => ask(chat.PATCH(address, { params, body }))}
            onChange={reload}
          />
        </>
      ) : (
        <Form onSubmit={make} submit={webhooks.create}>
          <Field label={words.webhookUrl} name="url" type="url" maxLength={2_000} />
          <Choice />
        </Form>
      )}
    </>
  );
}

/** The choice of events, and whether they cover all messages. */
const Choice = ({ events, messages }: Partial<Pick<Webhook, 'events' | 'messages'>>) => (
  <>
    <EventChoice {...(events && { chosen: events })} />
    <label class="check">
      <input type="checkbox" name="all" defaultChecked={messages === 'all'} /> {laterStrings.bots.allMessages}
    </label>
  </>
);

const choiceIn = (fields: Record<string, string>, before?: Webhook['events']) => ({
  events: eventsIn(fields, before),
  messages: 'all' in fields ? ('all' as const) : ('addressed' as const),
});
