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
import { namesIn, PeopleField } from '../text/people-field.tsx';
import { RoomKind, setKind } from './room-kind.tsx';

/** Creates a room for certain people in one step, and opens it. */
export function NewRoom({ close }: { close: () => void }) {
  const [key] = useState(randomKey);
  const create = async ({ name = '', kind, people = '' }: Record<string, string>) => {
    const header = { 'Idempotency-Key': `${key}-${name.length}` };
    const room = idOf(await ask(chat.POST('/api/rooms', { params: { header }, body: { name } })));
    if (kind !== 'open') await setKind(room, name, kind);
    const missing: string[] = [];
    for (const username of namesIn(people)) {
      await ask(chat.POST('/api/members', { body: { room, username } })).catch((failure) => {
        if (!(failure instanceof Failure)) throw failure;
        missing.push(username);
      });
    }
    await sync.readRooms({ all: true });
    close();
    go(roomPath(room, { panel: 'members' }));
    if (missing.length > 0) notice(laterStrings.newRoom.notAdded(listOf(missing)));
  };
  return (
    <Form onSubmit={create} submit={laterStrings.newRoom.submit}>
      <Field label={laterStrings.newRoom.name} name="name" maxLength={100} autocomplete="off" autoFocus />
      <RoomKind />
      <PeopleField label={laterStrings.newRoom.people} name="people" required={false} />
    </Form>
  );
}

/** Begins a conversation with a few people, or opens the one that there is. */
export function NewConversation({ close }: { close: () => void }) {
  const begin = async ({ names = '' }: Record<string, string>) => {
    await openConversation(namesIn(names));
    close();
  };
  return (
    <Form onSubmit={begin} submit={strings.rooms.directSubmit}>
      <PeopleField label={strings.rooms.directWith} name="names" autoFocus />
    </Form>
  );
}
