import { useEffect, useRef, useState } from 'preact/hooks';
import { go, roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Message } from '../../service/api.ts';
import { addressOf, find, findMore, forgetFound, type Search as Sought, searchIn } from '../../store/found.ts';
import { Results } from '../lists/results.tsx';
import { attempt, Form, Loading } from '../shared/controls.tsx';
import { Side } from '../shared/side.tsx';
import { useLoaded } from '../shared/use-list.ts';
import './search.css';

/** Finds words in a room, or in all of mine; and leads to a day. */
export function Search({ room }: { room: string }) {
  const sought = searchIn(location.search, room);
  const field = useRef<HTMLInputElement>(null);
  const [turn, setTurn] = useState(0);
  // Not after a result was followed, or Back.
  useEffect(() => {
    if (sought.words === '') field.current?.focus();
  }, []);
  const toDate = async ({ date = '' }: Record<string, string>) => {
    const at = new Date(`${date}T00:00`).toISOString();
    const query = { room, at, limit: 1 };
    const found = (await ask(chat.GET('/api/messages', { params: { query } }))) as Message[];
    const first = found.find(({ created_at }) => created_at.$date >= at) ?? found.at(-1);
    if (first) go(`${roomPath(room, { seq: first.seq })}${location.search}`);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget as HTMLFormElement);
    const asked = new URLSearchParams([...values].map(([name, value]) => [name, String(value)]));
    if (asked.get('q')?.trim() === '') return;
    forgetFound();
    setTurn(turn + 1);
    go(`${location.pathname}${addressOf(searchIn(asked.toString(), room))}`, { replace: true });
  };
  // What is chosen is searched for without another press, once there is a word.
  const choose = ({ currentTarget }: { currentTarget: EventTarget & (HTMLInputElement | HTMLSelectElement) }) =>
    field.current?.value.trim() !== '' && currentTarget.form?.requestSubmit();
  return (
    <Side room={room} title={laterStrings.search.title}>
      <div class="side-content">
        <search>
          <form class="search-form" onSubmit={submit}>
            <label class="visually-hidden" for="search-words">
              {laterStrings.search.label}
            </label>
            <input
              ref={field}
              id="search-words"
              type="search"
              name="q"
              placeholder={laterStrings.search.label}
              maxLength={2000}
              defaultValue={sought.words}
              required
            />
            <button type="submit" class="primary">
              {laterStrings.search.title}
            </button>
            <label class="check">
              <input type="checkbox" name="all" defaultChecked={sought.room === undefined} onChange={choose} />{' '}
              {laterStrings.search.everywhere}
            </label>
            <select name="order" aria-label={laterStrings.search.order} onChange={choose}>
              {(['best', 'newest'] as const).map((order) => (
                <option key={order} value={order} selected={sought.order === order}>
                  {laterStrings.search[order]}
                </option>
              ))}
            </select>
            <details class="check" open={sought.author !== '' || sought.since !== '' || sought.until !== ''}>
              <summary>{laterStrings.search.narrow}</summary>
              <label class="field">
                {laterStrings.search.author}
                <input name="from" maxLength={65} autocomplete="off" defaultValue={sought.author} />
              </label>
              {(['since', 'until'] as const).map((name) => (
                <label key={name} class="field">
                  {laterStrings.search[name]}
                  <input type="date" name={name} defaultValue={sought[name]} />
                </label>
              ))}
            </details>
          </form>
        </search>
        {sought.words === '' ? (
          <p class="muted center">{laterStrings.search.hint}</p>
        ) : (
          <FoundMessages sought={sought} turn={turn} />
        )}
        <details class="to-date">
          <summary>{laterStrings.search.date}</summary>
          <Form onSubmit={toDate} submit={laterStrings.search.go}>
            <label class="field">
              {laterStrings.search.date}
              <input type="date" name="date" required />
            </label>
          </Form>
        </details>
      </div>
    </Side>
  );
}

function FoundMessages({ sought, turn }: { sought: Sought; turn: number }) {
  const { value, failure, reload, set } = useLoaded(() => find(sought), [JSON.stringify(sought), turn]);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  return (
    <>
      <p class="muted" role="status">
        {value.list.length === 0
          ? laterStrings.search.none
          : laterStrings.search.found(value.list.length, value.next !== undefined)}{' '}
        {value.ignored > 0 && laterStrings.search.ignored(value.ignored)}
      </p>
      <Results messages={value.list} words={sought.words} />
      {value.next !== undefined && (
        <button type="button" onClick={() => void attempt(async () => set(await findMore(sought, value)))}>
          {strings.app.more}
        </button>
      )}
    </>
  );
}
