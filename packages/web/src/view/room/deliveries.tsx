import type { WebhookDelivery } from 'chat-service-client/contract';
import { useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { roomPath } from '../../device/routes.ts';
import { shortOf } from '../../i18n/dates.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { safeName } from '../../text/names.ts';
import { attempt } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';

type Time = { $date: string };

/** A delivery; those of a bot's webhook name the room. */
type Delivery = WebhookDelivery & { room?: { $oid: string } };

type ChangedWebhook = { secret?: string; disabled_at: Time | null };

/** A webhook that sends, and what can be done about it. */
type DeliveriesProps = {
  webhook: { failing_since?: Time | null; disabled_at: Time | null; deliveries: readonly Delivery[] };
  test: () => Promise<WebhookDelivery>;
  change: (body: { is_enabled: boolean } | { new_secret: true } | { seq: number; room?: string }) => Promise<ChangedWebhook>;
  onChange: () => void;
};

/** The last deliveries of a webhook and their results, with a test, a switch, and a new secret. */
export function Deliveries({ webhook: { failing_since, disabled_at, deliveries }, test, change, onChange }: DeliveriesProps) {
  const [tested, setTested] = useState<Delivery>();
  const [secret, setSecret] = useState<string>();
  const words = laterStrings.webhooks;
  const timeOf = ({ $date }: Time) => shortOf(new Date($date));
  const turn = async () => {
    await change({ is_enabled: disabled_at !== null });
    onChange();
  };
  const sendAgain = async ({ seq, room, at }: Delivery) => {
    if (!(await confirmed(words.againAsk(timeOf(at)), words.again))) return;
    await attempt(async () => {
      const changed = await change({ seq: seq - 1, ...(room && { room: room.$oid }) }).catch(explainGone);
      // If it was switched off in the meantime, nothing is sent: the list will show that it is off.
      if (!changed.disabled_at) notice(words.sentAgain);
    });
    onChange();
  };
  const shown = [...(tested ? [tested] : []), ...deliveries.toReversed()];
  return (
    <div class="stack">
      {disabled_at ? <p>{words.isOff(timeOf(disabled_at))}</p> : failing_since && <p>{words.fails(timeOf(failing_since))}</p>}
      <ul class="links" aria-live="polite">
        {shown.length === 0 && <li class="muted">{words.nothing}</li>}
        {shown.map((delivery, index) => (
          <li key={`${delivery.seq} ${delivery.at.$date} ${index}`}>
            {timeOf(delivery.at)} <bdi>{delivery.type}</bdi> {delivery.room && <RoomName room={delivery.room.$oid} />}{' '}
            {delivery.status ?? words.noAnswer} <bdi class="muted">{delivery.answer}</bdi>{' '}
            {delivery.seq > 0 && !disabled_at && (
              <button
                type="button"
                aria-label={[words.again, delivery.type, timeOf(delivery.at)].join(', ')}
                onClick={() => void sendAgain(delivery)}
              >
                {words.again}
              </button>
            )}
          </li>
        ))}
      </ul>
      <span class="row">
        <button type="button" onClick={() => void attempt(async () => setTested(await test()))}>
          {words.test}
        </button>
        <button type="button" onClick={() => void attempt(turn)}>
          {disabled_at ? words.on : words.off}
        </button>
        <button type="button" onClick={() => void attempt(async () => setSecret((await change({ new_secret: true })).secret))}>
          {words.renew}
        </button>
      </span>
      {secret !== undefined && (
        <ShownOnce values={[[words.secret, secret]]}>
          <span>{words.renewed}</span>
        </ShownOnce>
      )}
    </div>
  );
}

/** The name of a room, or its id if the reader is not a member. */
function RoomName({ room }: { room: string }) {
  const found = roomOf(room);
  return found ? (
    <a href={roomPath(room)}>
      <bdi>{safeName(found.name ?? '')}</bdi>
    </a>
  ) : (
    <code dir="ltr">{room}</code>
  );
}

/** A bot may have left the room of a delivery. */
function explainGone(failure: unknown): never {
  if (failure instanceof Failure && failure.code === 'room_not_found') throw new Failure(404, laterStrings.webhooks.leftRoom);
  throw failure;
}
