import { useState } from 'preact/hooks';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { sync } from '../../sync/sync.ts';
import { attempt, Form, Loading, PersonNames } from '../shared/controls.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { PeopleField } from '../text/people-field.tsx';

/** The blocked users, with a button to unblock them. */
export function Blocked() {
  const [turn, setTurn] = useState(0);
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/blocks', { params: { query: { limit: 200 } } })), []);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const changed = async () => {
    reload();
    await sync.readRooms({ all: true });
  };
  const block = async ({ blocked = '' }: Record<string, string>) => {
    await ask(chat.POST('/api/blocks', { body: { username: blocked } }));
    setTurn(turn + 1);
    await changed();
  };
  const unblock = (user: string) =>
    attempt(async () => {
      await ask(chat.DELETE('/api/blocks', { params: { query: { user } } }));
      await changed();
    });
  return (
    <>
      {value.length > 0 && (
        <ul class="listed">
          {value.map((user) => (
            <li class="card" key={idOf(user)}>
              <span class="body">
                <PersonNames person={user} />
              </span>
              <button type="button" onClick={() => void unblock(idOf(user))}>
                {laterStrings.blocked.end}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Form key={turn} onSubmit={block} submit={laterStrings.members.block}>
        <PeopleField label={laterStrings.blocked.person} name="blocked" most={1} />
      </Form>
    </>
  );
}
