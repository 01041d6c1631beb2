import { hasRank } from 'chat-service-rules/permissions';
import { useEffect, useRef, useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { announce } from '../../device/announcer.tsx';
import { fullOf, isSameDay, shortOf, timeOf } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { type Message, sentenceOf } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { findPersons, nameOf, personOf } from '../../store/people/names.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { pressAction } from '../../sync/press.ts';
import { Problem } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { leaveButton } from '../shared/focus.ts';
import { Icon } from '../shared/icon.tsx';
import './question.css';

type Action = NonNullable<Message['actions']>[number];
type Press = NonNullable<Message['presses']>[number];

/** How many people are named beside an answer. */
const mostNamed = 5;

/** The buttons or the select of a message, and the answers. */
export function Question({ message }: { message: Message }) {
  const { actions = [], presses = [], answers, is_select } = message;
  const words = laterStrings.question;
  const box = useRef<HTMLFieldSetElement>(null);
  const [pressing, setPressing] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const isOver = useIsOver(message.expires_at?.$date);
  const mine = idOf(me());
  const isAnswered = presses.some(({ user }) => user.$oid === mine) || (answers === 'one' && presses.length > 0);
  const asked = actions.filter((action) => isAsked(action, message, mine));

  const press = async (action: Action, button: HTMLElement) => {
    if (pressing !== undefined) return;
    const isDangerous = action.style === 'danger';
    if (action.confirm && !(await confirmed(action.confirm, action.label, { isDangerous }))) return;
    setProblem(undefined);
    setPressing(action.id);
    leaveButton(button);
    try {
      await pressAction(message, action.id);
      announce(words.answered(action.label));
    } catch (failure) {
      setProblem(words.failed(sentenceOf(failure)));
    } finally {
      // The buttons may go: the focus stays at the message.
      if (box.current?.contains(document.activeElement)) box.current.closest<HTMLElement>('li.message')?.focus();
      setPressing(undefined);
    }
  };

  const hint = isOver
    ? words.over
    : asked.length === 0
      ? words.others
      : message.expires_at && words.until(whenOf(new Date(message.expires_at.$date)));
  const choices = { actions, asked, isOver, pressing, press };
  return (
    <fieldset class="question" ref={box} aria-label={words.answer} aria-busy={pressing !== undefined}>
      {!isAnswered && (is_select ? <Select {...choices} /> : <Buttons {...choices} />)}
      {!isAnswered && hint && <p class="muted">{hint}</p>}
      {presses.length > 0 && <Answers actions={actions} presses={presses} />}
      {!isAnswered && <Problem text={problem} />}
    </fieldset>
  );
}

type Choices = {
  actions: Action[];
  asked: Action[];
  isOver: boolean;
  /** The action whose press is on its way. */
  pressing: string | undefined;
  press: (action: Action, button: HTMLElement) => Promise<void>;
};

const Buttons = ({ actions, asked, isOver, pressing, press }: Choices) => (
  <div class="row">
    {actions.map((action) => (
      <button
        key={action.id}
        type="button"
        class={action.style}
        // Not `disabled` while it is pressed: that would drop the focus.
        disabled={isOver || !asked.includes(action)}
        aria-disabled={pressing !== undefined}
        aria-pressed={pressing === action.id ? true : undefined}
        onClick={({ currentTarget }) => void press(action, currentTarget)}
      >
        {pressing === action.id && <Icon name="check" />}
        <bdi>{action.label}</bdi>
      </button>
    ))}
  </div>
);

/** A native select with a button beside it: arrow keys that pass an option must not answer. */
function Select({ actions, asked, isOver, pressing, press }: Choices) {
  const words = laterStrings.question;
  const [chosen, setChosen] = useState('');
  const action = actions.find(({ id }) => id === chosen);
  const isOff = isOver || asked.length === 0;
  return (
    <div class="row">
      <select
        aria-label={words.answer}
        disabled={isOff}
        value={chosen}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      >
        <option value="">{words.choose}</option>
        {actions.map((one) => (
          <option key={one.id} value={one.id} disabled={!asked.includes(one)}>
            {one.label}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="primary"
        disabled={isOff || !action}
        aria-disabled={pressing !== undefined}
        onClick={({ currentTarget }) => action && void press(action, currentTarget)}
      >
        {words.answer}
      </button>
    </div>
  );
}

/** The people who gave each answer, and when. */
function Answers({ actions, presses }: { actions: Action[]; presses: Press[] }) {
  const users = presses.map(({ user }) => user.$oid);
  useEffect(() => void findPersons(users), [users.join()]);
  return (
    <ul class="answers">
      {actions.map((action) => {
        const own = presses.filter((press) => press.action === action.id);
        if (own.length === 0) return null;
        const rest = own.length - mostNamed;
        return (
          <li key={action.id}>
            <Icon name="check" /> <bdi class="label">{action.label}</bdi>
            {own.slice(0, mostNamed).map((press) => (
              <AnsweredBy key={press.user.$oid} press={press} />
            ))}
            {rest > 0 && <span class="muted">{strings.message.others(rest)}</span>}
          </li>
        );
      })}
    </ul>
  );
}

function AnsweredBy({ press: { user, at } }: { press: Press }) {
  const person = personOf(user.$oid);
  const time = new Date(at.$date);
  return (
    <time class="muted" dateTime={at.$date} title={fullOf(time)}>
      {laterStrings.question.by(person ? nameOf(person) : '…', whenOf(time))}
    </time>
  );
}

/** Whether an action is for the user: by role, or by name. */
function isAsked({ who }: Action, { room }: Message, mine: string): boolean {
  if (typeof who !== 'string') return who.some(({ $oid }) => $oid === mine);
  return hasRank({ least: who, asMember: true }, { role: roomOf(room.$oid)?.role, isAdmin: false });
}

/** A time of today by its clock, any other with its day. */
const whenOf = (time: Date): string => (isSameDay(time, new Date()) ? timeOf(time) : shortOf(time));

/** The longest time of a timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Whether a time has passed; drawn again when it does. */
function useIsOver(at: string | undefined): boolean {
  const end = at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at);
  const [, drawAgain] = useState(0);
  useEffect(() => {
    const wait = end - Date.now();
    if (wait <= 0 || wait > longestTimer) return undefined;
    const timer = setTimeout(() => drawAgain((count) => count + 1), wait + 1);
    return () => clearTimeout(timer);
  }, [end]);
  return Date.now() >= end;
}
