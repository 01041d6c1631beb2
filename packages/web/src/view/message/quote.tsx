import { notice } from '../../device/announcer.tsx';
import { messagePath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import type { MyRoom } from '../../store/kept.ts';
import { authorOf, nameOf } from '../../store/people/names.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { aboutRoom } from '../../store/rooms/topics.ts';
import { placeOf } from '../../store/unsent/drafts.ts';
import { sendBesides } from '../../sync/actions.ts';
import { safeName } from '../../text/names.ts';
import { summaryOf } from '../../text/plain.ts';
import { quoteOf } from '../../text/quote.ts';
import { Form } from '../shared/controls.tsx';
import { confirmed, openDialog } from '../shared/dialog.tsx';
import { Switcher } from '../sidebar/switcher.tsx';
import { forComposer } from '../text/for-composer.ts';
import { Text } from '../text/markdown.tsx';

const quoted = (message: Message) =>
  quoteOf({
    author: nameOf(authorOf(message)),
    address: `${location.origin}${messagePath(message)}`,
    text: message.text || summaryOf(message),
  });

/** Quotes a message in the editor of the room, or of the thread that it is in. */
export function quote(message: Message, isInThread: boolean): void {
  const thread = isInThread ? (message.thread?.$oid ?? idOf(message)) : undefined;
  forComposer.value = {
    place: placeOf(message.room.$oid, thread),
    change: (editor) =>
      editor.edit(({ value, end }) => {
        const before = end === 0 || value[end - 1] === '\n' ? '' : '\n';
        const text = `${before}${quoted(message)}\n`;
        const caret = end + text.length;
        return { start: end, end, text, from: caret, to: caret };
      }),
  };
}

/** Forwards a message to another room or conversation, as a quote after the user's own text. */
export async function forward(message: Message): Promise<void> {
  const { forward: words } = strings;
  // A room that is not known to be public may be confidential.
  const { $oid: room } = message.room;
  const isOpen = (aboutRoom(room).room?.is_open ?? roomOf(room)?.isOpen) === true;
  if (!isOpen && !(await confirmed(words.closedAsk, strings.message.forward))) return;
  openDialog(words.to, (close) => <Switcher close={close} onPick={(to) => comment(message, to)} />, undefined, {
    isTitleHidden: true,
  });
}

function comment(message: Message, { id, name }: MyRoom): void {
  const { forward: words } = strings;
  const shown = safeName(name);
  const text = quoted(message);
  openDialog(words.toRoom(shown), (close) => {
    const send = async ({ comment: typed = '' }: Record<string, string>) => {
      await sendBesides(id, [typed.trim(), text].filter(Boolean).join('\n\n'));
      close();
      notice(words.done(shown));
    };
    return (
      <Form onSubmit={send} submit={strings.composer.send}>
        <label class="field">
          {words.comment}
          <textarea name="comment" rows={2} dir="auto" maxLength={5_000} />
        </label>
        <div class="forwarded">
          <Text message={{ mentions: [], mentions_all: null }} text={text} />
        </div>
      </Form>
    );
  });
}
