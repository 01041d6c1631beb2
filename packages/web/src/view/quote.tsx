import { sendBesides } from '../actions.ts';
import type { Message } from '../api.ts';
import { idOf } from '../ids.ts';
import { messagePath } from '../routes.ts';
import { placeOf } from '../store/drafts.ts';
import type { MyRoom } from '../store/kept.ts';
import { authorOf, nameOf } from '../store/names.ts';
import { aboutRoom } from '../store/topics.ts';
import { strings } from '../strings.ts';
import { safeName } from '../text/names.ts';
import { summaryOf } from '../text/plain.ts';
import { quoteOf } from '../text/quote.ts';
import { notice } from './announcer.tsx';
import { Form } from './controls.tsx';
import { confirmed, openDialog } from './dialog.tsx';
import { forComposer } from './for-composer.ts';
import { Text } from './markdown.tsx';
import { Switcher } from './switcher.tsx';

const quoted = (message: Message) =>
  quoteOf({
    author: nameOf(authorOf(message)),
    address: `${location.origin}${messagePath(message)}`,
    text: message.text || summaryOf(message),
  });

/** Puts a message as a quote where one writes: to the room, or to the thread in which it stands. */
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

/** Sends a message on to another room or conversation, as a quote with words of one's own before it. */
export async function forward(message: Message): Promise<void> {
  const { forward: words } = strings;
  // What is not known to be open may have been said in confidence.
  const isOpen = aboutRoom(message.room.$oid).room?.is_open === true;
  if (!isOpen && !(await confirmed(words.closedAsk, words.goOn))) return;
  openDialog(words.to, (close) => <Switcher close={close} onPick={(room) => comment(message, room)} />);
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
