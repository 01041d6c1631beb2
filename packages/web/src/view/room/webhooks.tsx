import type { Webhook } from 'chat-service-client/contract';
import { useState } from 'preact/hooks';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { attempt, Field, Form, Loading } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { Deliveries } from './deliveries.tsx';
import { EventChoice, eventsIn } from './event-choice.tsx';
import './members.css';

/** The incoming and outgoing webhooks of a room, for its moderators. */
export function Webhooks({ room, isOpen = false }: { room: string; isOpen?: boolean }) {
  return (
    <details class="addresses" open={isOpen}>
      <summary>{laterStrings.webhooks.title}</summary>
      <Addresses room={room} />
    </details>
  );
}

function Addresses({ room }: { room: string }) {
  const [made, setMade] = useState<(readonly [label: string, value: string])[]>();
  const params = { path: { room } };
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/rooms/{room}/webhooks', { params })), [room]);
  const make = async ({ webhook: name = '', url, ...chosen }: Record<string, string>) => {
    const words = laterStrings.webhooks;
    const body = { name, ...(url && { url, events: eventsIn(chosen) }) };
    const { secret } = await ask(chat.POST('/api/rooms/{room}/webhooks', { params, body }));
    const address = `${location.origin}/api/webhooks/${secret}`;
    const example = `curl --data-urlencode 'text=${words.sample}' ${address}`;
    setMade(
      url
        ? [[words.secret, secret]]
        : [
            [words.address, address],
            [words.example, example],
          ],
    );
    reload();
  };
  const revoke = async (webhook: string, name: string) => {
    if (!(await confirmed(laterStrings.webhooks.revokeAsk(name), laterStrings.invitations.revoke, { isDangerous: true }))) return;
    const params = { path: { room, webhook } };
    await attempt(() => ask(chat.DELETE('/api/rooms/{room}/webhooks/{webhook}', { params })));
    setMade(undefined);
    reload();
  };
  return (
    <div class="stack-wide">
      <p class="muted">{laterStrings.webhooks.hint}</p>
      {!value ? (
        <Loading failure={failure} onRetry={reload} />
      ) : (
        <ul class="links">
          {value.length === 0 && <li class="muted">{laterStrings.webhooks.none}</li>}
          {value.map((webhook) => (
            <li key={idOf(webhook)}>
              <span class="row">
                <span class="name">
                  <bdi>{webhook.name}</bdi> <span class="muted">{whatItDoes(webhook)}</span>
                </span>
                <button
                  type="button"
                  aria-label={laterStrings.webhooks.revoke(webhook.name)}
                  onClick={() => void revoke(idOf(webhook), webhook.name)}
                >
                  {laterStrings.invitations.revoke}
                </button>
              </span>
              {webhook.url !== null && <Sending room={room} webhook={webhook} />}
            </li>
          ))}
        </ul>
      )}
      {made && <ShownOnce values={made} />}
      <Form key={made?.[0]?.[1]} onSubmit={make} submit={laterStrings.webhooks.create}>
        <Field label={laterStrings.webhooks.name} name="webhook" maxLength={64} />
        <Field label={laterStrings.webhooks.url} name="url" type="url" required={false} maxLength={2_000} />
        <EventChoice />
      </Form>
    </div>
  );
}

const whatItDoes = ({ url, hint }: Webhook): string =>
  url === null ? laterStrings.webhooks.ends(hint) : laterStrings.webhooks.sends(new URL(url).host);

/** The last deliveries of a webhook and their results. */
function Sending({ room, webhook }: { room: string; webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{laterStrings.webhooks.deliveries(webhook.name)}</summary>
      {isOpen && <Sent room={room} webhook={idOf(webhook)} />}
    </details>
  );
}

const address = '/api/rooms/{room}/webhooks/{webhook}';

function Sent({ room, webhook }: { room: string; webhook: string }) {
  const params = { path: { room, webhook } };
  const { value, failure, reload } = useLoaded(() => ask(chat.GET(address, { params })), [webhook]);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  return (
    <Deliveries
      webhook={value}
      test={() => ask(chat.POST(address, { params, body: {} }))}
      change={(body) => ask(chat.PATCH(address, { params, body }))}
      onChange={reload}
    />
  );
}
