import { useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { inAnHour, isSameDay, shortOf, timeOf, tomorrowAt } from '../../i18n/dates.ts';
import { momentInWords } from '../../i18n/moments.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { reminderOf, remindOf } from '../../notify/reminders.ts';
import type { Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { attempt, Field, Form } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import './reminder.css';

const minutes = (many: number) => new Date(Date.now() + many * 60_000);

/** At nine on the next Monday, here. */
function nextMonday(): Date {
  const date = tomorrowAt(9);
  date.setDate(date.getDate() + ((8 - date.getDay()) % 7));
  return date;
}

const times = {
  minutes: () => minutes(20),
  hour: inAnHour,
  hours: () => minutes(180),
  tomorrow: () => tomorrowAt(9),
  week: nextMonday,
} as const;

/** Asks when to remind the user of a message. */
export const openReminder = (message: Message): void =>
  openDialog(strings.message.remind, (close) => <Times message={message} close={close} />);

function Times({ message, close }: { message: Message; close: () => void }) {
  const set = async (at: Date | null) => {
    await remindOf(message, at);
    notice(at ? laterStrings.reminders.set(shortOf(at)) : laterStrings.reminders.gone);
    close();
  };
  const [isOwn, setOwn] = useState(false);
  const known = reminderOf(idOf(message));
  if (isOwn)
    return (
      <Form onSubmit={({ at = '' }) => set(new Date(at))} submit={laterStrings.reminders.submit}>
        <Field label={laterStrings.reminders.own} name="at" type="datetime-local" autoFocus />
      </Form>
    );
  return (
    <div class="reminder-times">
      {(Object.keys(times) as (keyof typeof times)[]).map((name) => (
        <button key={name} type="button" onClick={() => void attempt(() => set(times[name]()))}>
          {laterStrings.reminders[name]} <span class="muted">{whenOf(times[name]())}</span>
        </button>
      ))}
      <button type="button" onClick={() => setOwn(true)}>
        {laterStrings.reminders.own}
      </button>
      {known && (
        <button type="button" onClick={() => void attempt(() => set(null))}>
          {laterStrings.reminders.none} <span class="muted">{whenOf(known)}</span>
        </button>
      )}
    </div>
  );
}

const whenOf = (date: Date) => (isSameDay(date, new Date()) ? timeOf(date) : momentInWords(date));
