import { useState } from 'preact/hooks';
import { ask, chat, Failure, randomKey } from '../api.ts';
import { idOf } from '../ids.ts';
import { listOf } from '../locale.ts';
import { go, roomPath } from '../routes.ts';
import { strings } from '../strings.ts';
import { laterStrings } from '../strings-later.ts';
import { sync } from '../sync/sync.ts';
import { notice } from './announcer.tsx';
import { Field, Form } from './controls.tsx';
import { openConversation } from './open-conversation.ts';
import { namesIn, PeopleField } from './people-field.tsx';
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
