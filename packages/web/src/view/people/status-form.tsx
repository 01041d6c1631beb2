import { useRef, useState } from 'preact/hooks';
import { changeMe } from '../../account/own-account.ts';
import { me } from '../../account/session.ts';
import { inAnHour, shortOf, tomorrowAt } from '../../i18n/dates.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { idOf } from '../../service/ids.ts';
import { currentStatus, learnStatuses, type Status } from '../../store/people/names.ts';
import { pickEmoji } from '../emoji/pick.ts';
import { attempt, Field, Form, IconButton } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';

/** When a status may end that is set now. */
const ends = {
  never: () => undefined,
  hour: inAnHour,
  tonight: () => tomorrowAt(0),
};

/** The form for the user's status. */
export function StatusForm({ close }: { close: () => void }) {
  const now = currentStatus(me().status);
  // A preset is chosen again with one press, so nothing is lost if the dialog closes.
  const [base, setBase] = useState<Omit<Status, 'until'>>(now ?? { text: '' });
  const [said, setSaid] = useState(base);
  const choosePreset = (preset: Omit<Status, 'until'>) => {
    setBase(preset);
    setSaid(preset);
  };
  const emojiButton = useRef<HTMLButtonElement>(null);
  const change = async (status: Status | null) => {
    const user = await changeMe({ status });
    learnStatuses([{ id: idOf(user), status: user.status }]);
    close();
  };
  const submit = ({ emoji = '', text = '', until = '' }: Record<string, string>) => {
    const end = Object.hasOwn(ends, until) ? ends[until as keyof typeof ends]() : new Date(until);
    return change({
      ...(emoji.trim() !== '' && { emoji: emoji.trim() }),
      text: text.trim(),
      ...(end && { until: { $date: end.toISOString() } }),
    });
  };
  return (
    <Form onSubmit={submit} submit={laterStrings.status.submit}>
      <div class="row">
        {laterStrings.status.presets.map(([emoji, text]) => (
          <button key={text} type="button" onClick={() => choosePreset({ emoji, text })}>
            {emoji} {text}
          </button>
        ))}
      </div>
      <div class="status-line">
        <button
          ref={emojiButton}
          type="button"
          class="status-emoji"
          aria-label={`${laterStrings.status.emoji} ${said.emoji ?? ''}`}
          onClick={({ currentTarget }) => void pickEmoji(currentTarget, (emoji) => setSaid((before) => ({ ...before, emoji })))}
        >
          {said.emoji ?? <Icon name="emoji" />}
        </button>
        {said.emoji && (
          <IconButton
            icon="close"
            label={laterStrings.status.noEmoji}
            onPress={() => {
              emojiButton.current?.focus();
              setSaid(({ text }) => ({ text }));
            }}
          />
        )}
        {/* A text field, because only these have a default that tells the dialog of a change. */}
        <input hidden name="emoji" defaultValue={base.emoji ?? ''} value={said.emoji ?? ''} />
        <Field
          key={said.text}
          label={laterStrings.status.text}
          name="text"
          maxLength={200}
          required={false}
          autocomplete="off"
          autocapitalize="sentences"
          value={said.text}
          autoFocus
        />
      </div>
      <div class="field">
        <label for="field-until">{laterStrings.status.until}</label>
        <select id="field-until" name="until">
          {now?.until && (
            <option value={now.until.$date} selected>
              {shortOf(new Date(now.until.$date))}
            </option>
          )}
          {Object.entries(laterStrings.status.ends).map(([end, label]) => (
            <option key={end} value={end}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {now && (
        <button type="button" onClick={() => void attempt(() => change(null))}>
          {laterStrings.status.clear}
        </button>
      )}
    </Form>
  );
}
