import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { textOf } from '../../store/rooms/streams.ts';
import { isSaved } from '../../store/saved.ts';
import { readWhileSilent } from '../../sync/follow.ts';
import { Icon } from '../shared/icon.tsx';
import { later } from '../shared/later.tsx';
import { Text } from '../text/markdown.tsx';

const Cards = later<{ display: NonNullable<Message['display']> }>(
  async () => (await import('./cards.tsx')).Cards,
  () => null,
);

/** True if a text may need more lines than the folded view shows, in the narrowest column. */
const mayBeLong = (text: string) => text.length > 400 || text.split('\n').length > 12;

/** A message's text. One that is too high is folded until it is asked for as a whole. */
export function LongText({ message, id }: { message: Message; id: string }) {
  const isStreaming = message.is_streaming === true;
  const text = textOf(message);
  // A text that grew before the reader's eyes is not folded when it is complete.
  const [isWhole, setWhole] = useState(isStreaming);
  const [isHigh, setHigh] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isFolded = mayBeLong(text) && !isWhole;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isFolded) return undefined;
    const measure = () => setHigh(element.scrollHeight > element.clientHeight);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [text, isFolded]);
  useEffect(() => (isStreaming ? readWhileSilent(message) : undefined), [isStreaming, text]);
  const isCut = isFolded && isHigh;
  const hasCards = (message.display?.cards.length ?? 0) > 0;
  const marks = [
    (isStreaming || message.is_interrupted) && (
      <small key="stream" class="muted edited">
        {isStreaming ? strings.message.writing : `(${strings.message.interrupted})`}
      </small>
    ),
    message.edited_at && (
      <small key="edited" class="muted edited">
        ({strings.message.edited})
      </small>
    ),
    isSaved(idOf(message)) && (
      <small key="saved" class="muted saved" title={strings.message.saved}>
        <Icon name="save" />
        <span class="visually-hidden">{strings.message.saved}</span>
      </small>
    ),
  ].filter(Boolean);
  return (
    <>
      <div ref={box} id={id} aria-busy={isStreaming || undefined} class={isCut ? 'folded cut' : isFolded ? 'folded' : ''}>
        {message.display && hasCards ? (
          <Cards display={message.display} />
        ) : (
          <Text message={message} text={text} end={!isCut && marks.length > 0 && marks} />
        )}
      </div>
      {(isCut || hasCards) && marks}
      {(isCut || (isWhole && !isStreaming && mayBeLong(text))) && (
        <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? strings.message.showLess : strings.message.showAll}
        </button>
      )}
    </>
  );
}
