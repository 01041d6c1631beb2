import type { QuietHours } from 'chat-service-rules/quiet-hours';
import { useState } from 'preact/hooks';
import { changeMe } from '../../account/own-account.ts';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { inAnHour, shortOf, tomorrowAt } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { notifications, quietUntil, setNotifications, setPolicy } from '../../notify/notify.ts';
import { isPushed, pushLimits, subscribe } from '../../notify/push.ts';
import { Failure } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { attempt, Check, Field, Form } from '../shared/controls.tsx';
import { Appearance } from './appearance.tsx';
import { Section } from './section.tsx';

/** Notifications, and the appearance of the page in this browser. */
export function Notifications() {
  return (
    <>
      <Section title={strings.lists.notifications.title}>
        <Notifying />
        <HiddenTexts />
        {settings.sendsEmail && (settings.emailConfirmation === 'required' || me().is_connected) && <EmailDigest />}
      </Section>
      <Section title={laterStrings.settings.quiet} hint={laterStrings.settings.quietHint}>
        <Quiet />
      </Section>
      <Section title={laterStrings.settings.quietHours} hint={laterStrings.settings.quietHoursHint}>
        <DailyQuiet />
      </Section>
      <Appearance />
    </>
  );
}

/** The notifications of this device, and the reason if it stays silent. */
function Notifying() {
  const [isOn, setOn] = useState(notifications.areOn());
  const [isTold, setTold] = useState(isPushed());
  const [failure, setFailure] = useState<string>();
  const trying = async (change: () => Promise<unknown>) => {
    setFailure(undefined);
    try {
      await change();
    } catch (error) {
      setFailure(error instanceof Failure ? error.message : '');
    }
    setOn(notifications.areOn());
    setTold(isPushed());
  };
  const test = () =>
    trying(async () => {
      if (await subscribe(notifications.policy(), { isTest: true })) notice(laterStrings.settings.notifySent);
    });
  if (pushLimits.needsHomeScreen()) return <p class="muted">{laterStrings.settings.notifyHomeScreen}</p>;
  if (!notifications.exist) return <p class="muted">{laterStrings.settings.notifyNone}</p>;
  return (
    <>
      <Check label={laterStrings.settings.notify} isChecked={isOn} onChange={(on) => trying(() => setNotifications(on))} />
      {isOn && (
        <fieldset>
          <legend class="visually-hidden">{strings.lists.notifications.title}</legend>
          {(['mine', 'all'] as const).map((policy) => (
            <label class="check" key={policy}>
              <input
                type="radio"
                name="policy"
                defaultChecked={notifications.policy() === policy}
                onChange={() => void trying(() => setPolicy(policy))}
              />{' '}
              {laterStrings.settings.notifyOf[policy]}
            </label>
          ))}
        </fieldset>
      )}
      {isOn && isTold && (
        <button type="button" onClick={() => void test()}>
          {laterStrings.settings.notifyTest}
        </button>
      )}
      {isOn && !isTold && failure === undefined && <p class="muted">{laterStrings.settings.notifyOpenOnly}</p>}
      {failure !== undefined && (
        <p class="muted" role="alert">
          {laterStrings.settings.notifyFailed(failure)}
        </p>
      )}
      {notifications.areBlocked() && <p class="muted">{laterStrings.settings.notifyBlocked}</p>}
    </>
  );
}

/** When a pause of notifications may end that begins now. */
const pauses = {
  hour: inAnHour,
  evening: () => tomorrowAt(0),
  tomorrow: () => tomorrowAt(8),
};

/** Notifications can leave out the text of messages, on all devices. */
const HiddenTexts = () => (
  <Check
    label={laterStrings.settings.hidePushText}
    isChecked={me().hides_push_text === true}
    onChange={(hides_push_text) => attempt(() => changeMe({ hides_push_text }))}
  />
);

/** An e-mail lists unread messages after a day away. */
const EmailDigest = () => (
  <Check
    label={laterStrings.settings.emailDigest}
    isChecked={me().email_digest !== false}
    onChange={(email_digest) => attempt(() => changeMe({ email_digest }))}
  />
);

/** Notifications can be paused for a while, on all devices. */
function Quiet() {
  const [end, setEnd] = useState(quietUntil());
  const pause = (until: Date | null) =>
    attempt(async () => {
      await changeMe({ quiet_until: until && { $date: until.toISOString() } });
      setEnd(quietUntil());
    });
  return (
    <>
      {end && <p role="status">{laterStrings.settings.quietUntil(shortOf(end))}</p>}
      <div class="row">
        {(['hour', 'evening', 'tomorrow'] as const).map((how) => (
          <button type="button" key={how} onClick={() => void pause(pauses[how]())}>
            {laterStrings.settings.quietFor[how]}
          </button>
        ))}
        {end && (
          <button type="button" class="primary" onClick={() => void pause(null)}>
            {laterStrings.settings.quietEnd}
          </button>
        )}
      </div>
    </>
  );
}

/** Notifications can be left out in some hours of each day, on all devices. */
function DailyQuiet() {
  const [hours, setHours] = useState(me().quiet_hours);
  const change = async (quiet_hours: QuietHours | null) => {
    await changeMe({ quiet_hours });
    setHours(me().quiet_hours);
  };
  const save = ({ from = '', to = '' }: Record<string, string>) =>
    change({ from, to, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  return (
    <>
      {hours && <p role="status">{laterStrings.settings.quietDaily(hours.from, hours.to, hours.time_zone)}</p>}
      <Form class="beside" onSubmit={save} submit={laterStrings.settings.quietSet}>
        <Field label={laterStrings.settings.quietFrom} name="from" type="time" value={hours?.from ?? '22:00'} />
        <Field label={laterStrings.settings.quietTo} name="to" type="time" value={hours?.to ?? '07:00'} />
      </Form>
      {hours && (
        <button type="button" onClick={() => void attempt(() => change(null))}>
          {laterStrings.settings.quietNone}
        </button>
      )}
    </>
  );
}
