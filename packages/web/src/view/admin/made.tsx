import type { ListedInvitation, ListedWebhook } from 'chat-service-client/contract';
import { useState } from 'preact/hooks';
import { go, route } from '../../device/routes.ts';
import { shortOf } from '../../i18n/dates.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nameOf } from '../../store/people/names.ts';
import { readPage } from '../../store/read-page.ts';
import { safeName } from '../../text/names.ts';
import { attempt, Check } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { Pages } from '../shared/pages.tsx';
import { Actions } from './actions.tsx';
import { Managed, Search } from './list.tsx';
import { Invitations } from './parts.tsx';
import { managedPath, readRooms } from './rooms.tsx';

/* The invitations and webhooks of all rooms. */

const timeOf = ({ $date }: { $date: string }) => shortOf(new Date($date));

/** The room of an item, or its bot, and its creator. */
function Origin({ made }: { made: Pick<ListedWebhook, 'room' | 'room_name' | 'creator' | 'created_at'> }) {
  const words = laterStrings.admin.made;
  const maker = made.creator ? safeName(nameOf(made.creator)) : laterStrings.bots.admins;
  return (
    <p class="muted">
      {made.room ? (
        <a href={managedPath(made.room.$oid)}>
          <bdi>{safeName(made.room_name ?? '')}</bdi>
        </a>
      ) : (
        words.ofBot
      )}{' '}
      · {words.by(maker, timeOf(made.created_at))}
    </p>
  );
}

/** The invitations to all rooms. */
export function AllInvitations() {
  const [turn, setTurn] = useState(0);
  const words = laterStrings.admin.made;
  const again = () => setTurn((before) => before + 1);
  const read = (after?: string) => readPage('/api/overview/invitations', {}, after);
  return (
    <>
      <p class="muted">{words.invitationsHint}</p>
      <div class="row">
        <button type="button" class="primary" onClick={() => openDialog(words.invite, () => <InviteTo />, again)}>
          {words.invite}
        </button>
      </div>
      <Pages read={read} turn={turn} none={words.noInvitations}>
        {(list, replace) => (
          <ul class="listed">
            {list.map((one) => (
              <InvitationItem key={idOf(one)} invitation={one} onRevoked={() => replace(one, undefined)} />
            ))}
          </ul>
        )}
      </Pages>
    </>
  );
}

function InvitationItem({ invitation, onRevoked }: { invitation: ListedInvitation; onRevoked: () => void }) {
  const words = laterStrings.invitations;
  const { hint, expires_at, uses_left } = invitation;
  const revoke = () =>
    attempt(async () => {
      const path = { room: invitation.room.$oid, invitation: idOf(invitation) };
      await ask(chat.DELETE('/api/rooms/{room}/invitations/{invitation}', { params: { path } }));
      onRevoked();
    });
  return (
    <li class="card managed">
      <div class="body">
        <code dir="ltr">{words.ends(hint)}</code> {expires_at ? laterStrings.status.endsAt(timeOf(expires_at)) : words.forEver}
        {' · '}
        {uses_left === null ? words.anyUses : words.uses(uses_left)}
        <Origin made={invitation} />
      </div>
      <button type="button" aria-label={laterStrings.webhooks.revoke(words.ends(hint))} onClick={() => void revoke()}>
        {words.revoke}
      </button>
    </li>
  );
}

/** Chooses a room, and makes a link to it. */
function InviteTo() {
  const [q, setQ] = useState('');
  const [room, setRoom] = useState<{ id: string; name: string }>();
  const words = laterStrings.admin;
  if (room)
    return (
      <div class="stack-wide">
        <p>
          <bdi>{room.name}</bdi>
        </p>
        <Invitations room={room.id} isOpen />
      </div>
    );
  return (
    <div class="stack-wide">
      <p>{words.made.chooseRoom}</p>
      <Search label={words.rooms.search} onSearch={setQ} />
      <Pages read={(after) => readRooms(q, after)} input={q} none={laterStrings.lists.noMatches}>
        {(list) => (
          <ul class="listed">
            {list
              .filter(({ archived_at }) => archived_at === null)
              .map((one) => (
                <li key={idOf(one)}>
                  <button type="button" class="choice" onClick={() => setRoom({ id: idOf(one), name: safeName(one.name) })}>
                    <bdi>{safeName(one.name)}</bdi>
                  </button>
                </li>
              ))}
          </ul>
        )}
      </Pages>
    </div>
  );
}

const path = '/admin/webhooks';

/** The webhooks of all rooms and bots, or only those that are switched off, as the address says. */
export function AllWebhooks() {
  const words = laterStrings.admin.made;
  // Reads the route, so that the list is drawn again when the address changes.
  const isOff = route.value && new URLSearchParams(location.search).has('off');
  const show = (onlyOff: boolean) => go(onlyOff ? `${path}?off` : path, { replace: true });
  const read = (after?: string) => readPage('/api/overview/webhooks', { is_off: isOff ? 'true' : undefined }, after);
  return (
    <>
      <p class="muted">{words.webhooksHint}</p>
      <Check label={words.onlyOff} isChecked={isOff} onChange={show} />
      <Pages key={String(isOff)} read={read} input={isOff} none={isOff ? words.noneOff : words.noWebhooks}>
        {(list, replace) => (
          <ul class="listed">
            {list.map((one) => (
              <WebhookItem key={idOf(one)} webhook={one} onChange={(changed) => replace(one, changed)} />
            ))}
          </ul>
        )}
      </Pages>
    </>
  );
}

type WebhookItemProps = { webhook: ListedWebhook; onChange: (changed: ListedWebhook | undefined) => void };

function WebhookItem({ webhook, onChange }: WebhookItemProps) {
  const words = laterStrings.admin.made;
  const { name, url, hint, disabled_at, failing_since, last_failure } = webhook;
  const tag = disabled_at ? words.off : failing_since ? words.failing : undefined;
  const head = (
    <div class="body">
      <bdi>{safeName(name)}</bdi>
      {tag !== undefined && <small class="tag">{tag}</small>}
      <p class="muted">{url === null ? laterStrings.webhooks.ends(hint) : laterStrings.webhooks.sends(new URL(url).host)}</p>
      <Origin made={webhook} />
      {last_failure && (
        <p class="muted">
          {words.lastFailure(timeOf(last_failure.at))} {last_failure.status ?? laterStrings.webhooks.noAnswer}{' '}
          <bdi>{last_failure.answer}</bdi>
        </p>
      )}
    </div>
  );
  return (
    <Managed head={head} name={safeName(name)}>
      {() => <WebhookPanel webhook={webhook} onChange={onChange} />}
    </Managed>
  );
}

function WebhookPanel({ webhook, onChange }: WebhookItemProps) {
  const words = laterStrings.webhooks;
  const { name, url, events, disabled_at } = webhook;
  const turn = async (is_enabled: boolean) => {
    const { disabled_at } = await turnOf(webhook, is_enabled);
    // One that is switched on begins again with its tries.
    onChange({ ...webhook, disabled_at, ...(is_enabled && { failing_since: null }) });
    return laterStrings.settings.changed;
  };
  const revoke = async () => {
    await revokeOf(webhook);
    onChange(undefined);
    return laterStrings.settings.changed;
  };
  return (
    <>
      {url !== null && (
        <p class="muted">
          <bdi>{url}</bdi> · <bdi>{events?.join(', ')}</bdi>
        </p>
      )}
      <Actions
        name={safeName(name)}
        onDone={() => {}}
        actions={[
          url !== null && { label: disabled_at ? words.on : words.off, act: () => turn(disabled_at !== null) },
          {
            label: laterStrings.invitations.revoke,
            effects: [
              laterStrings.admin.made.revokes,
              laterStrings.admin.rooms.messagesStay,
              laterStrings.admin.people.irreversible,
            ],
            isDangerous: true,
            act: revoke,
          },
        ]}
      />
    </>
  );
}

const [ofBot, ofRoom] = ['/api/bots/{bot}/webhook', '/api/rooms/{room}/webhooks/{webhook}'] as const;
const botOf = ({ bot }: ListedWebhook) => bot && { path: { bot: bot.$oid } };
const placeOf = (webhook: ListedWebhook) => ({ path: { room: webhook.room?.$oid ?? '', webhook: idOf(webhook) } });

function turnOf(webhook: ListedWebhook, is_enabled: boolean): Promise<Pick<ListedWebhook, 'disabled_at'>> {
  const [params, body] = [botOf(webhook), { is_enabled }];
  return params ? ask(chat.PATCH(ofBot, { params, body })) : ask(chat.PATCH(ofRoom, { params: placeOf(webhook), body }));
}

async function revokeOf(webhook: ListedWebhook): Promise<void> {
  const params = botOf(webhook);
  await (params ? ask(chat.DELETE(ofBot, { params })) : ask(chat.DELETE(ofRoom, { params: placeOf(webhook) })));
}
