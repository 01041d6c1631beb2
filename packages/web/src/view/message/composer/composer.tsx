import { useSignalEffect } from '@preact/signals';
import { mentionsIn } from 'chat-service-rules/markdown/mentions';
import { namesOf } from 'chat-service-rules/markdown/names';
import type { TargetedEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { me } from '../../../account/session.ts';
import { lateCode } from '../../../device/late-code.ts';
import { isNarrow } from '../../../device/narrow.ts';
import { attach } from '../../../files/files.ts';
import { strings } from '../../../i18n/strings.ts';
import { idOf } from '../../../service/ids.ts';
import { settings } from '../../../service/settings.ts';
import { absent } from '../../../store/absent.ts';
import { answer } from '../../../store/answers.ts';
import { roomOf } from '../../../store/rooms/rooms.ts';
import { aboutRoom, loadAbout } from '../../../store/rooms/topics.ts';
import { intentOf } from '../../../store/scroll-intent.ts';
import { thread as openedThread } from '../../../store/threads/thread.ts';
import { cardOf } from '../../../store/threads/thread-cards.ts';
import { knownTimeline } from '../../../store/timelines.ts';
import { draftOf, keepDraft, placeOf, sentElsewhere } from '../../../store/unsent/drafts.ts';
import { hasTray, holdPage, takeTray, trayOf } from '../../../store/unsent/tray.ts';
import { sendMessage } from '../../../sync/actions.ts';
import { sync } from '../../../sync/sync.ts';
import { formats } from '../../../text/markup.ts';
import { pickEmoji } from '../../emoji/pick.ts';
import { IconButton } from '../../shared/controls.tsx';
import { confirmed } from '../../shared/dialog.tsx';
import { later } from '../../shared/later.tsx';
import { useRoving } from '../../shared/roving.tsx';
import { Editor, type EditorHandle } from '../../text/editor.tsx';
import { forComposer } from '../../text/for-composer.ts';
import { edit } from '../actions.tsx';

const loadCommands = lateCode(() => import('./commands.tsx'));
const Answer = later(async () => (await loadCommands()).Answer);
const loadAbsent = lateCode(() => import('./absent.tsx'));
const Absent = later(
  async () => (await loadAbsent()).Absent,
  () => null,
);
const Tray = later(async () => (await import('../../files/unsent-files.tsx')).Tray);

const tools = ['bold', 'italic', 'code', 'link', 'quote', 'list'] as const;

type ComposerProps = {
  room: string;
  thread?: string;
  name: string;
  /** Takes the focus only on request. */
  isQuiet?: boolean;
};

/** Describes who can read a room, if known. */
function readersOf(room: string): string | undefined {
  const { composer: words } = strings;
  const mine = roomOf(room);
  if (mine?.isDirect) return words.readByYou(mine.people.length + 1);
  if (mine?.isOpen) return words.readByAll(settings.name);
  const count = aboutRoom(room).details?.member_count;
  return mine?.isOpen === false && count !== undefined ? words.readByMembers(count) : undefined;
}

/** How many people a message may address without a question. */
const mostUnasked = 20;

/** Asks before a message that notifies many people; resolves to true if it may be sent. */
async function mayTellAll(room: string, text: string): Promise<boolean> {
  if (!text.includes('@') || !mentionsIn(text).some((mention) => namesOf(mention).includes('room'))) return true;
  // Without a connection, the number may stay unknown. Then nothing is asked.
  if (!aboutRoom(room).details) await loadAbout(room).catch(() => {});
  const { member_count: count = 0 } = aboutRoom(room).details ?? {};
  return count <= mostUnasked || confirmed(strings.composer.everyoneAsk(count - 1), strings.composer.send);
}

/** The tools are one tab stop. */
const toolbar = { rows: '.tools' };

/**
 * The composer of a room or a thread. It works offline too: messages are stored before they are
 * sent.
 */
export function Composer({ room, thread, name, isQuiet = false }: ComposerProps) {
  const place = placeOf(room, thread);
  const handle = useRef<EditorHandle>(null);
  const picker = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useRoving(box, toolbar);
  const isInRoom = useRef<HTMLInputElement>(null);
  useSignalEffect(() => {
    if (forComposer.value?.place !== place || !handle.current) return;
    forComposer.value.change(handle.current);
    forComposer.value = undefined;
  });
  useSignalEffect(() => {
    if (sentElsewhere.value !== place) return;
    handle.current?.set('');
    sentElsewhere.value = undefined;
  });
  const send = async (text: string) => {
    // A word after a slash is a command, unless another slash makes it a path.
    const called = /^\/[\w-]+(\s|$)/.test(text)
      ? await (await loadCommands()).callTyped({ room, thread, place, text })
      : undefined;
    if (called !== undefined) return called;
    const timeline = thread === undefined ? knownTimeline(room) : undefined;
    const stands = thread === undefined || isInRoom.current?.checked;
    if (stands && !(await mayTellAll(room, text))) return false;
    const files = await takeTray(place);
    if (text === '' && files.length === 0) return false;
    await holdPage(sendMessage({ room, typed: text, files, thread, isInRoom: isInRoom.current?.checked }));
    if (text.includes('@'))
      void loadAbsent().then(
        ({ noteAbsent }) => noteAbsent({ room, place, text }),
        () => {},
      );
    if (isInRoom.current) isInRoom.current.checked = false;
    if (timeline) void intentOf(timeline).goToEnd();
    return true;
  };
  const pick = ({ currentTarget: input }: TargetedEvent<HTMLInputElement>) => {
    void attach(place, [...(input.files ?? [])]);
    // Allows choosing the same file again.
    input.value = '';
  };
  const editLast = () => {
    const timeline = knownTimeline(room)?.window.value.messages;
    const replies = openedThread.value?.id === thread ? openedThread.value?.replies : cardOf(thread ?? '')?.replies;
    const messages = (thread === undefined ? timeline : replies) ?? [];
    const last = messages.findLast((message) => message.user.$oid === idOf(me()) && !message.deleted_at);
    if (last) edit(last, thread !== undefined);
  };
  const changed = (text: string) => {
    keepDraft(place, text);
    if (thread === undefined && text !== '') sync.tellTyping(room);
  };
  const label = thread === undefined ? strings.composer.placeholder(name) : strings.composer.reply;
  const readers = thread === undefined && !isNarrow.value ? readersOf(room) : undefined;
  return (
    <div class="composer" data-place={place} ref={box}>
      {answer.value?.place === place && <Answer />}
      {absent.value?.place === place && <Absent room={room} />}
      {trayOf(place).length > 0 && <Tray place={place} />}
      <Editor
        key={place}
        room={room}
        label={label}
        hint={strings.composer.hint}
        placeholder={readers === undefined ? label : `${label} · ${readers}`}
        initial={draftOf(place)}
        focus={!isQuiet && !matchMedia('(pointer: coarse)').matches}
        onChange={changed}
        onSubmit={send}
        mayBeEmpty={() => hasTray(place)}
        onTooLong={(text) => attach(place, [new File([text], 'Message.txt', { type: 'text/plain' })])}
        onUp={editLast}
        handle={handle}
      >
        <input ref={picker} type="file" multiple hidden onChange={pick} />
        <div class="tools" role="toolbar" aria-label={strings.composer.tools}>
          <IconButton icon="attach" class="attach" label={strings.composer.attach} onPress={() => picker.current?.click()} />
          {tools.map((tool) => (
            <IconButton
              key={tool}
              icon={tool}
              class="format"
              label={strings.composer.tool[tool]}
              onPress={() => handle.current?.edit(formats[tool])}
            />
          ))}
          <IconButton icon="at" class="format" label={strings.composer.mention} onPress={() => handle.current?.insert('@')} />
          <IconButton
            icon="emoji"
            label={strings.composer.emoji}
            onPress={({ currentTarget }) =>
              void pickEmoji(currentTarget as HTMLElement, (emoji) => handle.current?.insert(emoji))
            }
          />
        </div>
        <IconButton icon="send" class="send" label={strings.composer.send} onPress={() => handle.current?.submit()} />
      </Editor>
      {thread !== undefined && (
        <label class="also">
          <input ref={isInRoom} type="checkbox" /> {strings.thread[roomOf(room)?.isDirect ? 'inConversation' : 'inRoom']}
        </label>
      )}
    </div>
  );
}
