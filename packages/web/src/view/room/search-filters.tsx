import { me } from '../../account/session.ts';
import { go, roomPath } from '../../device/routes.ts';
import { dayInWords } from '../../i18n/moments.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Message } from '../../service/api.ts';
import { findAuthor, type Search } from '../../store/found.ts';
import { nameOf } from '../../store/people/names.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { foundKinds, isoDay, shift } from '../../store/search-words.ts';
import { safeName } from '../../text/names.ts';
import { Form } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { Switcher } from '../sidebar/switcher.tsx';
import { PeopleField } from '../text/people-field.tsx';
import { namesIn } from '../text/picked.ts';
import { type ChipChoice, ChipMenu } from './chip-menu.tsx';

type FiltersProps = { room: string; sought: Search; onChange: (changes: Partial<Search>) => void };

/** The chips that narrow a search: author, room, time, and other contents of a message. */
export function SearchFilters({ room, sought, onChange }: FiltersProps) {
  const words = laterStrings.search;
  const { value: author } = useLoaded(
    async () => (sought.author === '' ? undefined : findAuthor(sought.author)),
    [sought.author],
  );
  const at = sought.room === undefined ? undefined : roomOf(sought.room);
  return (
    <div class="filter-chips">
      <ChipMenu
        label={words.from}
        value={sought.author === '' ? undefined : author ? nameOf(author) : sought.author}
        choices={() => authorChoices(sought, onChange)}
      />
      <ChipMenu
        label={words.in}
        value={at ? safeName(at.name) : words.everywhere}
        choices={() => placeChoices(room, sought, onChange)}
      />
      <ChipMenu label={words.date} value={datesIn(sought)} choices={() => dateChoices(room, sought, onChange)} />
      <ChipMenu
        label={words.has}
        value={sought.has && words.kinds[sought.has]}
        choices={() => [
          { label: words.anything, isChosen: sought.has === undefined, act: () => onChange({ has: undefined }) },
          ...foundKinds.map((has) => ({ label: words.kinds[has], isChosen: sought.has === has, act: () => onChange({ has }) })),
        ]}
      />
    </div>
  );
}

type Change = FiltersProps['onChange'];

function authorChoices({ author }: Search, onChange: Change): ChipChoice[] {
  const words = laterStrings.search;
  const mine = me().username;
  const choose = () =>
    openDialog(words.from, (close) => (
      <Form
        submit={words.title}
        onSubmit={async ({ from = '' }) => {
          const found = await findAuthor(namesIn(from)[0] ?? '');
          close();
          onChange({ author: found.username });
        }}
      >
        <PeopleField label={laterStrings.peopleField.name} name="from" most={1} autoFocus />
      </Form>
    ));
  return [
    { label: words.anyone, isChosen: author === '', act: () => onChange({ author: '' }) },
    { label: words.me, isChosen: author === mine || author === 'me', act: () => onChange({ author: mine }) },
    { label: words.chooseAuthor, icon: 'user', act: choose },
  ];
}

function placeChoices(open: string, { room }: Search, onChange: Change): ChipChoice[] {
  const words = laterStrings.search;
  const choose = () =>
    openDialog(words.in, (close) => <Switcher close={close} onPick={({ id }) => onChange({ room: id })} />, undefined, {
      isTitleHidden: true,
    });
  return [
    { label: safeName(roomOf(open)?.name ?? ''), isChosen: room === open, act: () => onChange({ room: open }) },
    { label: words.everywhere, isChosen: room === undefined, act: () => onChange({ room: undefined }) },
    { label: words.chooseRoom, icon: 'hash', act: choose },
  ];
}

function dateChoices(room: string, { since, until }: Search, onChange: Change): ChipChoice[] {
  const words = laterStrings.search;
  const today = isoDay(new Date());
  const range = (from: string, to: string, label: string): ChipChoice => ({
    label,
    isChosen: since === from && until === to,
    act: () => onChange({ since: from, until: to }),
  });
  return [
    range('', '', words.anyTime),
    range(today, today, words.today),
    range(shift(today, -1), shift(today, -1), words.yesterday),
    range(shift(today, -6), '', words.lastDays(7)),
    range(shift(today, -29), '', words.lastDays(30)),
    {
      label: words.chooseDates,
      icon: 'edit',
      act: () => openDialog(words.date, (close) => <Dates {...{ since, until, close, onChange }} />),
    },
    {
      label: words.jump,
      icon: 'forward',
      act: () => openDialog(words.jump, (close) => <JumpToDate room={room} close={close} />),
    },
  ];
}

/** The days of a search in words; undefined for any time. */
function datesIn({ since, until }: Search): string | undefined {
  const words = laterStrings.search;
  const shown = (day: string) => dayInWords(new Date(`${day}T12:00`));
  if (since === '' && until === '') return undefined;
  if (since === until) return shown(since);
  if (until === '') return words.sinceDay(shown(since));
  return since === '' ? words.untilDay(shown(until)) : `${shown(since)} – ${shown(until)}`;
}

type DatesProps = Pick<Search, 'since' | 'until'> & { close: () => void; onChange: Change };

function Dates({ since, until, close, onChange }: DatesProps) {
  const words = laterStrings.search;
  const save = async (values: Record<string, string>) => {
    close();
    onChange({ since: values.since ?? '', until: values.until ?? '' });
  };
  return (
    <Form onSubmit={save} submit={words.title}>
      {[['since', since] as const, ['until', until] as const].map(([name, value]) => (
        <label key={name} class="field">
          {words[name]}
          <input type="date" name={name} defaultValue={value} max={isoDay(new Date())} />
        </label>
      ))}
    </Form>
  );
}

/** Opens the first message of a day in the open room, or the last one before it. */
function JumpToDate({ room, close }: { room: string; close: () => void }) {
  const jump = async ({ date = '' }: Record<string, string>) => {
    const at = new Date(`${date}T00:00`).toISOString();
    const query = { room, at, limit: 1 };
    const found = (await ask(chat.GET('/api/messages', { params: { query } }))) as Message[];
    const first = found.find(({ created_at }) => created_at.$date >= at) ?? found.at(-1);
    close();
    if (first) go(`${roomPath(room, { seq: first.seq })}${location.search}`);
  };
  return (
    <Form onSubmit={jump} submit={laterStrings.search.go}>
      <label class="field">
        {laterStrings.search.date}
        <input type="date" name="date" required max={isoDay(new Date())} />
      </label>
    </Form>
  );
}
