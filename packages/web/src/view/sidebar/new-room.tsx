import { useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { go, roomPath } from '../../device/routes.ts';
import { listOf } from '../../i18n/locale.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure, randomKey } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { sync } from '../../sync/sync.ts';
import { openConversation } from '../people/open-conversation.ts';
import { Field, Form } from '../shared/controls.tsx';
import { composeNext } from '../shared/focus.ts';
import { PeopleField } from '../text/people-field.tsx';
import { namesIn } from '../text/picked.ts';
import { flagsOf, RoomKindField } from './room-kind.tsx';

/** Creates a room for certain people in one step, and opens it. */
export function NewRoom({ close }: { close: () => void }) {
  // A repeated attempt finds the room of the first one, if it asks for the same.
  const [keys] = useState(() => new Map<string, string>());
  const create = async ({ name = '', kind, people = '' }: Record<string, string>) => {
    const body = { name, ...flagsOf(kind) };
    const asked = JSON.stringify(body);
    const key = keys.get(asked) ?? randomKey();
    keys.set(asked, key);
    const header = { 'Idempotency-Key': key };
    const room = idOf(await ask(chat.POST('/api/directory', { params: { header }, body })));
    const missing: string[] = [];
    for (const username of namesIn(people)) {
      await ask(chat.POST('/api/members', { body: { room, username } })).catch((failure) => {
        if (!(failure instanceof Failure)) throw failure;
        if (failure.code !== 'already_member') missing.push(username);
      });
    }
    await sync.readRooms({ all: true });
    close();
    go(roomPath(room));
    composeNext();
    if (missing.length > 0) notice(laterStrings.newRoom.notAdded(listOf(missing)));
  };
  return (
    <Form onSubmit={create} submit={laterStrings.newRoom.submit}>
      <Field label={laterStrings.newRoom.name} name="name" maxLength={100} autocomplete="off" autoFocus />
      <RoomKindField legend={laterStrings.newRoom.who} />
      <PeopleField label={laterStrings.newRoom.people} name="people" required={false} />
    </Form>
  );
}

/** Begins a conversation with a few people, or opens the one that there is. */
export function NewConversation({ close }: { close: () => void }) {
  const begin = async ({ names = '' }: Record<string, string>) => {
    await openConversation(namesIn(names), close);
  };
  return (
    <Form onSubmit={begin} submit={strings.rooms.directSubmit}>
      <PeopleField label={strings.rooms.directWith} name="names" most={8} autoFocus />
    </Form>
  );
}
