import { batch, signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { baseOf, discardDraft, draftOf, keepEdit, placeOfEdit } from '../../store/unsent/drafts.ts';
import { editors } from '../../store/unsent/waiting.ts';
import { editMessage } from '../../sync/actions.ts';
import { focusComposer } from '../shared/focus.ts';
import { isTouched } from '../shared/popover.tsx';
import { Editor } from '../text/editor.tsx';
import { editing, rowOf } from './actions.tsx';

/**
 * How many edits of a message were saved here, by place: who edits it again starts from the new
 * text.
 */
export const savedEdits = signal<ReadonlyMap<string, number>>(new Map());

type EditProps = { message: Message; isInThread: boolean; row: { current: HTMLLIElement | null } };

/**
 * The field for editing a message. The text is stored like a draft, however the user leaves the
 * page.
 */
export function Edit({ message, isInThread, row }: EditProps) {
  const place = placeOfEdit(message);
  const [base] = useState(() => baseOf(place) ?? message.text);
  const at = rowOf(message, isInThread);
  const asked = editing.value?.at === at && editing.value;
  const stay = () => {
    if (!asked) editing.value = { at };
  };
  // At once: text typed while the edit is being stored belongs to the next message.
  const leave = () => {
    if (isTouched()) row.current?.focus();
    else focusComposer(row.current);
  };
  const save = async (text: string) => {
    stay();
    leave();
    const { value: begun } = editing;
    await editMessage(message, text, base);
    batch(() => {
      savedEdits.value = new Map(savedEdits.value).set(place, 1 + (savedEdits.value.get(place) ?? 0));
      // Unless it was requested again in the meantime.
      if (editing.value === begun) editing.value = undefined;
    });
    return true;
  };
  // The text in one row of a message does not appear in another row.
  useLayoutEffect(() => {
    editors.value = new Map([...editors.value, [place, row]]);
    return () => {
      if (editors.value.get(place) === row) editors.value = new Map([...editors.value].filter(([other]) => other !== place));
    };
  }, []);
  return (
    <Editor
      room={message.room.$oid}
      label={strings.composer.editing}
      hint={strings.composer.editHint}
      initial={draftOf(place) || base}
      base={base}
      onChange={(text) => {
        stay();
        keepEdit(place, text, base);
      }}
      onSubmit={save}
      onCancel={() => {
        void discardDraft(place);
        editing.value = undefined;
        leave();
      }}
      focus={asked}
    />
  );
}
