import { mentionsIn } from 'chat-service-rules/markdown/mentions';
import { namesOf } from 'chat-service-rules/markdown/names';
import { me } from '../../../account/session.ts';
import { notice } from '../../../device/announcer.tsx';
import { listOf } from '../../../i18n/locale.ts';
import { strings } from '../../../i18n/strings.ts';
import { ask, chat, type Member } from '../../../service/api.ts';
import { idOf } from '../../../service/ids.ts';
import { absent } from '../../../store/absent.ts';
import { changeMembers } from '../../../store/people/members.ts';
import { findMembers } from '../../../store/people/more-members.ts';
import { nameOf } from '../../../store/people/names.ts';
import { mayInvite } from '../../../store/rooms/invitations.ts';
import { roomOf } from '../../../store/rooms/rooms.ts';
import { forEveryone, safeName } from '../../../text/names.ts';
import { attempt, IconButton } from '../../shared/controls.tsx';
import { Icon } from '../../shared/icon.tsx';

/** Of how many names in a message it is looked up whether they are in the room. */
const mostNames = 5;

/** Records mentioned people who are not in the room, and so are not notified. */
export async function noteAbsent({ room, place, text }: { room: string; place: string; text: string }): Promise<void> {
  if (roomOf(room)?.isDirect) return;
  const mentions = [...new Set(mentionsIn(text))].slice(0, mostNames);
  const found = await Promise.all(mentions.map((mention) => findAbsent(room, namesOf(mention)))).catch(() => []);
  const people = found.flatMap((person) => person ?? []);
  if (people.length > 0) absent.value = { place, people };
}

/** The person who is meant by one of some names, unless they are in a room. */
async function findAbsent(room: string, names: readonly string[]) {
  const [name = ''] = names;
  if (forEveryone.some((word) => names.includes(word))) return undefined;
  const isMeant = ({ username }: { username: string }) => names.includes(username.toLowerCase());
  if (isMeant(me()) || (await findMembers(room, name, 20)).some(isMeant)) return undefined;
  const people = await ask(chat.GET('/api/users', { params: { query: { q: name, limit: 20 } } }));
  const person = people.find(isMeant);
  return person && { ...person, id: idOf(person) };
}

/** Names mentioned people who are not in the room. Users who may add them get a button for it. */
export function Absent({ room }: { room: string }) {
  const { people = [] } = absent.value ?? {};
  const names = listOf(people.map((person) => safeName(nameOf(person))));
  const mine = roomOf(room);
  const add = () =>
    attempt(async () => {
      for (const { username } of people) {
        const added = (await ask(chat.POST('/api/members', { body: { room, username } }))) as Member;
        changeMembers(room, { members: [added], left: [] });
      }
      absent.value = undefined;
      notice(strings.composer.added(names));
    });
  const dismiss = () => {
    absent.value = undefined;
  };
  return (
    <div class="notice-bar" role="status">
      <Icon name="invite" />
      <p>{strings.composer.absent(names, people.length)}</p>
      {mine && mayInvite(mine) && (
        <button type="button" onClick={() => void add()}>
          {strings.composer.addAbsent(people.length)}
        </button>
      )}
      <IconButton icon="close" label={strings.app.close} onPress={dismiss} />
    </div>
  );
}
