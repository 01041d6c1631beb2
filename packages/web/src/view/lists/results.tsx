import { firstCharacters } from 'chat-service-rules/shortened';
import type { ComponentChildren } from 'preact';
import { messagePath } from '../../device/routes.ts';
import { capitalised, sentAt } from '../../i18n/dates.ts';
import { momentInWords } from '../../i18n/moments.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { partsOf } from '../../text/highlight.ts';
import { safeName } from '../../text/names.ts';
import { summaryOf } from '../../text/plain.ts';
import { Avatar } from '../people/avatar.tsx';
import { PersonName } from '../shared/controls.tsx';
import { RovingList } from '../shared/roving.tsx';
import './results.css';

type ResultsProps = {
  messages: readonly Message[];
  words?: string | undefined;
  /** A note about some of them. */
  note?: ((message: Message) => string | undefined) | undefined;
  /** True for messages that are shown as new. */
  isNew?: ((message: Message) => boolean) | undefined;
  /** An action on each. */
  action?: ((message: Message) => ComponentChildren) | undefined;
};

/** Messages from several rooms, each linked to its place. */
export const Results = ({ messages, words, note, isNew, action }: ResultsProps) => (
  <RovingList class="results">
    {messages.map((message) => (
      <li key={idOf(message)}>
        <Result message={message} href={pathOf(message)} words={words} note={note?.(message)} isNew={isNew?.(message)} />
        {action?.(message)}
      </li>
    ))}
  </RovingList>
);

type ResultProps = {
  message: Message;
  href: string;
  words?: string | undefined;
  note?: string | undefined;
  isNew?: boolean | undefined;
};

/** One message of a list, with a link and an optional note. */
export const Result = ({ message, href, words = '', note, isNew = false }: ResultProps) => (
  <a href={href} class={isNew ? 'unread' : ''}>
    <Avatar person={message} id={message.user.$oid} />
    <span class="body">
      <span class="meta">
        <PersonName person={message} class="author" />
        <span class="muted">
          {roomOf(message.room.$oid) && (
            <>
              <bdi>{safeName(roomOf(message.room.$oid)?.name ?? '')}</bdi>
              {' · '}
            </>
          )}
          <time dir="auto" dateTime={message.created_at.$date}>
            {capitalised(momentInWords(sentAt(message)))}
          </time>
        </span>
      </span>
      <span class="excerpt" dir="auto">
        {message.deleted_at ? strings.message.deleted : highlight(firstCharacters(summaryOf(message), 300), words)}
      </span>
      {note !== undefined && <span class="note">{note}</span>}
    </span>
  </a>
);

/**
 * The list stays beside a message of a room. A reply is shown in its thread, in place of the list.
 */
export const pathOf = (message: Message) => `${messagePath(message)}${message.is_in_room === false ? '' : location.search}`;

/** A text with the words that were sought marked. */
const highlight = (text: string, words: string) =>
  words === ''
    ? text
    : partsOf(text, words).map((part, at) => (part.isSought ? <mark key={`${at}`}>{part.text}</mark> : part.text));
