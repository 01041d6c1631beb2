import { firstCharacters } from 'chat-service-rules/shortened';
import { type ListName, roomPath } from '../../device/routes.ts';
import { momentInWords } from '../../i18n/moments.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, askFully, chat, type Message, type SavedMessage } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nextOf } from '../../store/people/members.ts';
import type { Page } from '../../store/read-page.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { dueReminders, isSaved, noteSaved, savedLast } from '../../store/saved.ts';
import { discardDraft, draftOf } from '../../store/unsent/drafts.ts';
import { waitingDrafts } from '../../store/unsent/waiting.ts';
import { toggleSaved } from '../../sync/actions.ts';
import { safeName } from '../../text/names.ts';
import { plainText } from '../../text/plain.ts';
import { attempt, IconButton } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { Pages } from '../shared/pages.tsx';
import { RovingList } from '../shared/roving.tsx';
import { Side } from '../shared/side.tsx';
import { AboutSide } from './about-side.tsx';
import { Notifications } from './notifications.tsx';
import { Results } from './results.tsx';

/** The messages that are pinned in a room. */
export const Pins = ({ room }: { room: string }) => (
  <AboutSide room={room} tab="pins">
    <div class="side-content">
      <Pages
        key={room}
        read={() => readPins(room)}
        input={room}
        none={laterStrings.pins.none}
        kept={{ name: `pins ${room}`, id: idOf }}
      >
        {(found) => <Results messages={found} />}
      </Pages>
    </div>
  </AboutSide>
);

async function readPins(room: string): Promise<Page<Message>> {
  const query = { room, pinned: 'true' as const, limit: 100 };
  const found = (await ask(chat.GET('/api/messages', { params: { query } }))) as Message[];
  return { list: found.toReversed(), next: undefined };
}

type OtherList = Exclude<ListName, 'threads'>;

/** Notifications, saved messages or drafts, beside the open room or in its place. */
export const List = ({ list, room }: { list: OtherList; room?: string | undefined }) => (
  <Side room={room} title={strings.lists[list].title}>
    {list === 'drafts' ? (
      <Drafts />
    ) : list === 'saved' ? (
      <div class="side-content">
        <Pages
          read={readSaved}
          turn={`${savedLast.value} ${dueReminders.value.map(idOfSaved).join(' ')}`}
          none={laterStrings.lists.noneSaved}
          kept={{ name: list, id: idOfSaved }}
        >
          {(found) => <Saved found={found} />}
        </Pages>
      </div>
    ) : (
      <Notifications />
    )}
  </Side>
);

const idOfSaved = ({ message }: SavedMessage) => idOf(message);

/** The saved messages; those with a due reminder come first. */
function Saved({ found }: { found: readonly SavedMessage[] }) {
  const due = dueReminders.value;
  const isDue = (id: string) => due.some((one) => idOfSaved(one) === id);
  const all = [...due, ...found.filter((one) => !isDue(idOfSaved(one)))];
  const times = new Map(all.map((one) => [idOfSaved(one), one.remind_at]));
  const note = (message: Message) => {
    const at = times.get(idOf(message));
    return at ? laterStrings.reminders.at(momentInWords(new Date(at.$date))) : undefined;
  };
  return (
    <Results
      messages={all.map(({ message }) => message as Message)}
      note={note}
      isNew={(message) => isDue(idOf(message))}
      action={(message) => <SaveButton message={message} />}
    />
  );
}

async function readSaved(after?: string): Promise<Page<SavedMessage>> {
  const query = { limit: 50, ...(after !== undefined && { after }) };
  const { data, headers } = await askFully<SavedMessage[]>(chat.GET('/api/saved', { params: { query } }));
  const next = nextOf(headers);
  noteSaved(data.map(idOfSaved).toReversed(), [], after === undefined && next === undefined);
  // A page may be empty where much may no longer be read.
  return data.length === 0 && next !== undefined ? readSaved(next) : { list: data, next };
}

/**
 * Removes a message from those that are saved. Until the list is read again it stays, and can be
 * saved again.
 */
const SaveButton = ({ message }: { message: Message }) => {
  const isOn = isSaved(idOf(message));
  return (
    <IconButton
      icon={isOn ? 'unsave' : 'save'}
      label={isOn ? strings.message.unsave : strings.message.save}
      onPress={() => void attempt(() => toggleSaved(message))}
    />
  );
};

/** The unsent drafts, each with a link to its place. */
function Drafts() {
  const { drafts: words } = strings.lists;
  const places = waitingDrafts.value;
  const discard = async (place: string) => {
    if (await confirmed(strings.app.discardAsk, strings.app.discard, { isDangerous: true })) await discardDraft(place);
  };
  return (
    <div class="side-content">
      {places.length === 0 && <p class="muted center">{words.none}</p>}
      <RovingList class="results">
        {places.map((place) => {
          const [room = '', thread, seq] = place.split('/');
          const message = Number(seq);
          const within = seq === undefined ? {} : thread ? { reply: message } : { seq: message };
          const name = safeName(roomOf(room)?.name ?? '') || words.gone;
          return (
            <li key={place}>
              <a href={roomPath(room, thread ? { thread, ...within } : within)}>
                <Icon name="edit" />
                <span class="body">
                  <span class="meta">
                    <bdi class="author">{name}</bdi>
                    {thread && <span class="muted">{strings.thread.title}</span>}
                    {seq !== undefined && <span class="muted">{strings.composer.editing}</span>}
                  </span>
                  <span class="excerpt" dir="auto">
                    {firstCharacters(plainText(draftOf(place)), 300)}
                  </span>
                </span>
              </a>
              <IconButton
                icon="remove"
                label={`${words.discard(name)}: ${firstCharacters(plainText(draftOf(place)), 100)}`}
                onPress={() => void discard(place)}
              />
            </li>
          );
        })}
      </RovingList>
    </div>
  );
}
