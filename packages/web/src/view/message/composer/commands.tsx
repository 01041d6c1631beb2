import type { RoomCommand } from 'chat-service-client/contract';
import { me } from '../../../account/session.ts';
import { notice } from '../../../device/announcer.tsx';
import { focusComposer } from '../../../files/attach.ts';
import { laterStrings } from '../../../i18n/strings-later.ts';
import { ask, chat, Failure, randomKey, sentenceOf } from '../../../service/api.ts';
import { idOf } from '../../../service/ids.ts';
import { answer } from '../../../store/answers.ts';
import { commandsOf } from '../../../store/commands.ts';
import { nameOf } from '../../../store/people/names.ts';
import { draftOf, keepDraft, sentElsewhere } from '../../../store/unsent/drafts.ts';
import { IconButton } from '../../shared/controls.tsx';
import { confirmed } from '../../shared/dialog.tsx';
import { forComposer } from '../../text/for-composer.ts';
import { Text } from '../../text/markdown.tsx';
import './commands.css';

type TypedCommand = { room: string; thread: string | undefined; place: string; text: string };

/** A call that may or may not have arrived: a retry has the same id. */
let uncertain: { place: string; text: string; id: string } | undefined;

/**
 * Calls the typed command. Returns false if the user decides not to send it, and undefined if it is
 * a message. If no bot in the room has the command, the user is asked, because it may be a slip.
 */
export async function callTyped({ room, thread, place, text }: TypedCommand): Promise<boolean | undefined> {
  const [, typed = '', rest = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  const name = typed.toLowerCase();
  const find = (commands: RoomCommand[]) => commands.find((one) => one.name === name);
  const command = find(await commandsOf(room)) ?? find(await commandsOf(room, true));
  const words = laterStrings.commands;
  if (!command) return (await confirmed(words.unknown(`/${typed}`), words.sendAsMessage)) ? undefined : false;
  const by = nameOf(command.bot);
  const user = idOf(me());
  const id = uncertain?.place === place && uncertain.text === text ? uncertain.id : randomKey();
  answer.value = { user, place, by, text: undefined };
  const field = fieldOf(place);
  /**
   * True if the user has left in the meantime, and perhaps returned: the text is not in this field.
   */
  const isLeft = () => !field || fieldOf(place) !== field;
  try {
    const body = { command: name, text: rest, id, ...(thread !== undefined && { thread }) };
    const { message, text: said } = await ask(chat.POST('/api/rooms/{room}/commands', { params: { path: { room } }, body }));
    uncertain = undefined;
    answer.value = said === null ? undefined : { user, place, by, text: said };
    if (said === null && message === null) notice(words.done(`/${typed}`));
    // Keep text that was typed in the meantime.
    if (draftOf(place).trim() === text) {
      keepDraft(place, '');
      if (isLeft() && fieldOf(place)) sentElsewhere.value = place;
    }
    return true;
  } catch (problem) {
    answer.value = undefined;
    // The bot may have done it, and not answered in time.
    const isFailed = problem instanceof Failure && problem.code === 'command_failed';
    if (isFailed || (problem instanceof Failure && problem.isTemporary)) uncertain = { place, text, id };
    const failure = isFailed ? new Failure(409, words.failed(by)) : problem;
    if (isLeft()) {
      putBack(place, text, field?.value ?? '');
      notice(sentenceOf(failure));
    }
    throw failure;
  }
}

const fieldOf = (place: string) => document.querySelector<HTMLTextAreaElement>(`.composer[data-place="${place}"] textarea`);

/**
 * Puts what could not be called before the draft of a place that was left, unless it is the draft,
 * or was when one left.
 */
function putBack(place: string, text: string, typed: string): void {
  const draft = draftOf(place);
  if (draft.trim() === text || (typed === '' && draft !== '')) return;
  const both = [text, draft].filter((part) => part !== '').join('\n');
  keepDraft(place, both);
  if (fieldOf(place)) forComposer.value = { place, change: (editor) => editor.set(both) };
}

/** A bot's answer to the user's command, which nobody else sees. */
export function Answer() {
  // The answer is not for a user who signs in later.
  if (answer.value?.user !== idOf(me())) return null;
  const { by, text, place } = answer.value;
  const words = laterStrings.commands;
  const dismiss = () => {
    answer.value = undefined;
    focusComposer(place);
  };
  return (
    <section class="answer" aria-label={words.from(by)}>
      <p class="muted" role="status">
        {text === undefined ? words.asked(by) : words.forYou(by)}
      </p>
      {text !== undefined && (
        <>
          <IconButton icon="close" label={words.dismiss} onPress={dismiss} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long answer is scrolled with the keyboard */}
          <div class="body" tabIndex={0}>
            <Text message={{ mentions: [], mentions_all: null }} text={text} />
          </div>
        </>
      )}
    </section>
  );
}
