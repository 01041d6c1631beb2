import type { ComponentChildren } from 'preact';
import type { Message } from '../api.ts';
import { sentAt, shortOf } from '../dates.ts';
import { idOf } from '../ids.ts';
import { roomPath } from '../routes.ts';
import { roomOf } from '../store/rooms.ts';
import { strings } from '../strings.ts';
import { partsOf } from '../text/highlight.ts';
import { safeName } from '../text/names.ts';
import { plainText } from '../text/plain.ts';
import { Avatar } from './controls.tsx';
import './results.css';

type ResultsProps = {
  messages: readonly Message[];
  words?: string | undefined;
  /** What one may do with each. */
  action?: ((message: Message) => ComponentChildren) | undefined;
};

/** Messages from anywhere, each of which leads to its place. */
export const Results = ({ messages, words = '', action }: ResultsProps) => (
  <ul class="results">
    {messages.map((message) => (
      <li key={idOf(message)}>
        <a href={`${roomPath(message.room.$oid, { seq: message.seq })}${location.search}`}>
          <Avatar name={message.username} id={message.user.$oid} />
          <span class="body">
            <span class="meta">
              <bdi class="author">{message.username || strings.message.deletedUser}</bdi>
              <span class="muted">
                {roomOf(message.room.$oid) && `${safeName(roomOf(message.room.$oid)?.name ?? '')} · `}
                <time dateTime={message.created_at.$date}>{shortOf(sentAt(message))}</time>
              </span>
            </span>
            <span class="excerpt" dir="auto">
              {highlight(plainText(message.text).slice(0, 300), words)}
            </span>
          </span>
        </a>
        {action?.(message)}
      </li>
    ))}
  </ul>
);

/** A text with the words that were sought marked. */
const highlight = (text: string, words: string) =>
  words === ''
    ? text
    : partsOf(text, words).map((part, at) => (part.isSought ? <mark key={`${at}`}>{part.text}</mark> : part.text));
