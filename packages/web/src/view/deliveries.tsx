import { useState } from 'preact/hooks';
import type { WebhookDelivery } from '../../../client/src/contract.ts';
import { shortOf } from '../dates.ts';
import { laterStrings } from '../strings-later.ts';
import { attempt } from './controls.tsx';
import { ShownOnce } from './shown-once.tsx';

type Time = { $date: string };

/** A webhook that sends, and what can be done about it. */
type DeliveriesProps = {
  webhook: { failing_since?: Time | null; disabled_at: Time | null; deliveries: readonly WebhookDelivery[] };
  test: () => Promise<WebhookDelivery>;
  change: (body: { is_enabled: boolean } | { new_secret: true }) => Promise<{ secret?: string }>;
  onChange: () => void;
};

/** What a webhook has sent last and what became of it, with a test, a switch, and another secret. */
export function Deliveries({ webhook: { failing_since, disabled_at, deliveries }, test, change, onChange }: DeliveriesProps) {
  const [tested, setTested] = useState<WebhookDelivery>();
  const [secret, setSecret] = useState<string>();
  const words = laterStrings.webhooks;
  const timeOf = ({ $date }: Time) => shortOf(new Date($date));
  const turn = async () => {
    await change({ is_enabled: disabled_at !== null });
    onChange();
  };
  const shown = [...(tested ? [tested] : []), ...deliveries.toReversed()];
  return (
    <div class="stack">
      {disabled_at ? <p>{words.isOff(timeOf(disabled_at))}</p> : failing_since && <p>{words.fails(timeOf(failing_since))}</p>}
      <ul class="links" aria-live="polite">
        {shown.length === 0 && <li class="muted">{words.nothing}</li>}
        {shown.map(({ seq, type, at, status, answer }, index) => (
          <li key={`${seq} ${at.$date} ${index}`}>
            {timeOf(at)} <bdi>{type}</bdi> {status ?? words.noAnswer} <bdi class="muted">{answer}</bdi>
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
