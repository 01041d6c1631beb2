import { useState } from 'preact/hooks';
import { ask, chat, type Message } from '../api.ts';
import { go, roomPath } from '../routes.ts';
import { strings } from '../strings.ts';
import { Form, Loading } from './controls.tsx';
import { Results } from './results.tsx';
import { Side } from './side.tsx';
import { useLoaded } from './use-list.ts';

/** Finds words in a room, or in all of mine; and leads to a day. */
export function Search({ room }: { room: string }) {
  const [sought, setSought] = useState<{ words: string; isEverywhere: boolean }>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget as HTMLFormElement);
    const words = String(values.get('q') ?? '').trim();
    if (words !== '') setSought({ words, isEverywhere: values.has('everywhere') });
  };
  const toDate = async ({ date = '' }: Record<string, string>) => {
    const at = new Date(`${date}T00:00`).toISOString();
    const query = { room, at, limit: 1 };
    const found = (await ask(chat.GET('/api/messages', { params: { query } }))) as Message[];
    const first = found.find(({ created_at }) => created_at.$date >= at) ?? found.at(-1);
    if (first) go(`${roomPath(room, { seq: first.seq })}?panel=search`);
  };
  return (
    <Side room={room} title={strings.search.title}>
      <div class="side-content">
        <search>
          <form class="search-form" onSubmit={submit}>
            <label class="visually-hidden" for="search-words">
              {strings.search.label}
            </label>
            <input
              id="search-words"
              type="search"
              name="q"
              placeholder={strings.search.label}
              maxLength={200}
              required
              // biome-ignore lint/a11y/noAutofocus: the panel was opened to search
              autoFocus
            />
            <button type="submit" class="primary">
              {strings.search.title}
            </button>
            <label class="check">
              <input type="checkbox" name="everywhere" /> {strings.search.everywhere}
            </label>
          </form>
        </search>
        {sought ? <Found room={room} {...sought} /> : <p class="muted center">{strings.search.hint}</p>}
        <details class="to-date">
          <summary>{strings.search.date}</summary>
          <Form onSubmit={toDate} submit={strings.search.go}>
            <label class="field">
              {strings.search.date}
              <input type="date" name="date" required />
            </label>
          </Form>
        </details>
      </div>
    </Side>
  );
}

function Found({ room, words, isEverywhere }: { room: string; words: string; isEverywhere: boolean }) {
  const { value, failure, reload } = useLoaded(async () => {
    const query = { q: words, limit: 50, ...(!isEverywhere && { room }) };
    return (await ask(chat.GET('/api/messages', { params: { query } }))) as Message[];
  }, [room, words, isEverywhere]);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  return (
    <>
      <p class="muted" role="status">
        {value.length === 0 ? strings.search.none : strings.search.found(value.length)}
      </p>
      <Results messages={value} words={words} />
    </>
  );
}
