import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';

/* Who can join a new room, as the forms for one ask. */

const kinds = ['open', 'closed', 'hidden'] as const;

/** The field `kind` of a form. */
export const RoomKind = () => (
  <fieldset>
    <legend>{laterStrings.newRoom.who}</legend>
    {kinds.map((kind) => (
      <label class="check" key={kind}>
        <input type="radio" name="kind" value={kind} defaultChecked={kind === 'open'} /> {laterStrings.newRoom.kinds[kind]}
      </label>
    ))}
  </fieldset>
);

/** Gives a room that was just created the kind that was chosen. */
export async function setKind(room: string, name: string, kind: string | undefined): Promise<void> {
  const body = { name, is_open: kind === 'open', is_visible: kind !== 'hidden' };
  await ask(chat.PUT('/api/rooms/{room}', { params: { path: { room } }, body }));
}
