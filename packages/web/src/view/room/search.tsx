import { matchesName } from 'chat-service-rules/words/names';
import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';
import { addressOf, type FoundList, find, findMore, forgetFound, type Search as Sought, searchIn } from '../../store/found.ts';
import { rooms } from '../../store/rooms/rooms.ts';
import { readTyped } from '../../store/search-words.ts';
import { Results } from '../lists/results.tsx';
import { Loading, Problem } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import { Side } from '../shared/side.tsx';
import { useLoaded, useNextPage } from '../shared/use-list.ts';
import { ChipMenu } from './chip-menu.tsx';
import { SearchFilters } from './search-filters.tsx';
import './search.css';

/** Finds words in a room, or in all of mine. Chips and operators narrow it. */
export function Search({ room }: { room: string }) {
  const sought = searchIn(location.search, room);
  const field = useRef<HTMLInputElement>(null);
  const [turn, setTurn] = useState(0);
  // Not after a result was followed, or Back.
  useEffect(() => {
    if (sought.words === '') field.current?.focus();
  }, []);
  const search = (changes: Partial<Sought>) => {
    const typed = field.current?.value ?? '';
    const next = { ...sought, ...fromTyped(typed), ...changes };
    // The chips show the operators from now on.
    if (field.current) field.current.value = next.words;
    forgetFound();
    setTurn(turn + 1);
    go(`${location.pathname}${addressOf(next, room)}`, { replace: true });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    search({});
  };
  return (
    <Side room={room} title={laterStrings.search.title}>
      <div class="side-content">
        <search class="search-form">
          <form class="search-field" onSubmit={submit}>
            <label class="visually-hidden" for="search-words">
              {laterStrings.search.label}
            </label>
            <Icon name="search" />
            <input
              ref={field}
              id="search-words"
              type="search"
              name="q"
              placeholder={laterStrings.search.label}
              aria-describedby="search-hint"
              maxLength={2000}
              defaultValue={sought.words}
            />
          </form>
          <SearchFilters room={room} sought={sought} onChange={search} />
        </search>
        {sought.words === '' ? (
          <p class="muted search-hint" id="search-hint">
            {isNarrow(sought, room) ? laterStrings.search.needsWord : laterStrings.search.hint}
          </p>
        ) : (
          <FoundMessages sought={sought} turn={turn} onOrder={(order) => search({ order })} />
        )}
      </div>
    </Side>
  );
}

const isNarrow = ({ author, since, until, has, room }: Sought, open: string) =>
  author !== '' || since !== '' || until !== '' || has !== undefined || room !== open;

/** The changes that the typed operators make. A room is meant by a part of its name. */
function fromTyped(typed: string): Partial<Sought> {
  const { words, from, in: name, has, since, until } = readTyped(typed);
  const meant = name === undefined ? undefined : rooms.value?.find((room) => matchesName(room.name, name));
  return {
    words: name !== undefined && !meant ? `${words} ${name}`.trim() : words,
    ...(from !== undefined && { author: from }),
    ...(meant && { room: meant.id }),
    ...(has && { has }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

type FoundProps = { sought: Sought; turn: number; onOrder: (order: Sought['order']) => void };

function FoundMessages({ sought, turn, onOrder }: FoundProps) {
  const question = JSON.stringify(sought);
  const loaded = useLoaded(() => find(sought), [question, turn]);
  const { value, failure, reload } = loaded;
  const readNext = async (before: FoundList) => {
    const found = await findMore(sought, before);
    return () => found;
  };
  const more = useNextPage({ page: value, list: loaded, question, read: readNext });
  // Nobody has the name that was typed: another attempt finds nobody either.
  if (failure instanceof Failure && failure.status === 404) return <Problem text={failure.message} />;
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const words = laterStrings.search;
  return (
    <>
      <div class="search-count">
        <p class="muted" role="status">
          {value.list.length === 0 ? words.none : words.found(value.list.length, value.next !== undefined)}{' '}
          {value.ignored > 0 && words.ignored(value.ignored)}
        </p>
        <ChipMenu
          label={words.order}
          value={words[sought.order]}
          choices={() =>
            (['best', 'newest'] as const).map((order) => ({
              label: words[order],
              isChosen: sought.order === order,
              act: () => onOrder(order),
            }))
          }
        />
      </div>
      <Results messages={value.list} words={sought.words} />
      {value.next !== undefined && (
        <button type="button" onClick={more}>
          {strings.app.more}
        </button>
      )}
    </>
  );
}
