import { useState } from 'preact/hooks';
import { ask, chat } from '../api.ts';
import { idOf } from '../ids.ts';
import { laterStrings } from '../strings-later.ts';
import { attempt, Field, Form, Loading } from './controls.tsx';
import { confirmed } from './dialog.tsx';
import { ShownOnce } from './shown-once.tsx';
import { useLoaded } from './use-list.ts';
import './members.css';

/** The addresses at which other programs post into a room, for its moderators: making, seeing and revoking them. */
export function Webhooks({ room }: { room: string }) {
  return (
    <details class="addresses">
      <summary>{laterStrings.webhooks.title}</summary>
      <Addresses room={room} />
    </details>
  );
}

function Addresses({ room }: { room: string }) {
  const [made, setMade] = useState<string>();
  const params = { path: { room } };
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/rooms/{room}/webhooks', { params })), [room]);
  const make = async ({ webhook: name = '' }: Record<string, string>) => {
    const { secret } = await ask(chat.POST('/api/rooms/{room}/webhooks', { params, body: { name } }));
    setMade(`${location.origin}/api/webhooks/${secret}`);
    reload();
  };
  const revoke = async (webhook: string, name: string) => {
    if (!(await confirmed(laterStrings.webhooks.revokeAsk(name), laterStrings.invitations.revoke))) return;
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
            <li class="row" key={idOf(webhook)}>
              <span class="name">
                <bdi>{webhook.name}</bdi> <span class="muted">{laterStrings.webhooks.ends(webhook.hint)}</span>
              </span>
              <button
                type="button"
                aria-label={laterStrings.webhooks.revoke(webhook.name)}
                onClick={() => void revoke(idOf(webhook), webhook.name)}
              >
                {laterStrings.invitations.revoke}
              </button>
            </li>
          ))}
        </ul>
      )}
      {made !== undefined && (
        <ShownOnce
          values={[
            [laterStrings.webhooks.address, made],
            [laterStrings.webhooks.example, `curl --data-urlencode 'text=${laterStrings.webhooks.sample}' ${made}`],
          ]}
        />
      )}
      <Form key={made} onSubmit={make} submit={laterStrings.webhooks.create}>
        <Field label={laterStrings.webhooks.name} name="webhook" maxLength={64} />
      </Form>
    </div>
  );
}
