import { firstCharacters } from 'chat-service-rules/shortened';
import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nameOf, type Person } from '../../store/people/names.ts';
import { Avatar } from '../people/avatar.tsx';
import { PersonNames } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';

/** A picked person: a found person, or the typed name or address. */
export type Choice = { key: string; person?: FoundPerson };

type FoundPerson = Person & { id: string };

const mostFound = 8;

/**
 * The people whom the user can find by a part of their names, and the one with exactly this
 * username.
 */
export async function findPeople(part: string): Promise<FoundPerson[]> {
  const find = (query: { q: string; limit: number } | { username: string }) =>
    ask(chat.GET('/api/users', { params: { query } })).catch(() => []);
  const isUsername = /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(part);
  const [found, exact] = await Promise.all([
    find({ q: firstCharacters(part, 64), limit: mostFound + 1 }),
    isUsername ? find({ username: part }) : [],
  ]);
  const all = [...exact, ...found].map(({ _id, username, name, avatar, is_bot }) => ({
    id: _id.$oid,
    username,
    name,
    avatar,
    is_bot,
  }));
  return all.filter(({ id }, at) => id !== idOf(me()) && all.findIndex((one) => one.id === id) === at).slice(0, mostFound);
}

type ChipsProps = { picked: readonly Choice[]; onRemove: (key: string) => void };

/** The picked people. Backspace removes the last one, so that the field stays one tab stop. */
export const Chips = ({ picked, onRemove }: ChipsProps) =>
  picked.length === 0 ? null : (
    <ul class="chips" aria-label={laterStrings.peopleField.picked}>
      {picked.map(({ key, person }) => (
        <li class="chip" key={key}>
          {person && <Avatar person={person} id={person.id} />}
          <bdi>{person ? nameOf(person) : key}</bdi>
          <button
            type="button"
            tabIndex={-1}
            aria-label={laterStrings.peopleField.remove(person ? nameOf(person) : key)}
            onClick={() => onRemove(key)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );

type PeopleOptionsProps = { id: string; found: readonly Choice[]; index: number; onPick: (picked: Choice) => void };

/** The people found for the typed text, as options of the field with this id. */
export const PeopleOptions = ({ id, found, index, onPick }: PeopleOptionsProps) => (
  <div class="suggestions" id={`${id}-found`} role="listbox" aria-label={strings.composer.suggestions}>
    {found.map((one, at) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field that has the focus takes the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
      <div
        key={one.key}
        id={`${id}-${at}`}
        role="option"
        aria-selected={at === index}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onPick(one)}
      >
        {one.person ? <Avatar person={one.person} id={one.person.id} /> : <Icon name="unread" />}
        <span class="who">{one.person ? <PersonNames person={one.person} /> : laterStrings.peopleField.byMail(one.key)}</span>
      </div>
    ))}
  </div>
);
