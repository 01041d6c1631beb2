import { computed } from '@preact/signals';
import { parseInline } from 'chat-service-rules/markdown/inline';
import { namesOf } from 'chat-service-rules/markdown/names';
import { parse } from 'chat-service-rules/markdown/parse';
import type { Alignment, Block, Inline } from 'chat-service-rules/markdown/pieces';
import { textOf } from 'chat-service-rules/markdown/plain';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { session } from '../../account/session.ts';
import { lateCode } from '../../device/late-code.ts';
import { roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { findPersons, personOf } from '../../store/people/names.ts';
import { roomOf, rooms } from '../../store/rooms/rooms.ts';
import { emojiOf } from '../../text/codes.ts';
import type { CodePiece } from '../../text/colours.ts';
import { isJumbo } from '../../text/jumbo.ts';
import { hiddenHost, shortAddress } from '../../text/links.ts';
import { forEveryone, safeName } from '../../text/names.ts';
import { nameRooms, splitAtRooms } from '../../text/room-names.ts';
import { IconButton } from '../shared/controls.tsx';
import { copyOut } from '../shared/copy.tsx';
import { useLoaded } from '../shared/use-list.ts';

/**
 * How a mention is shown: the length of the mentioned name in the text, and the person's current
 * name.
 */
type Mentions = (typed: string) => { length: number; isMe: boolean; name: string | undefined } | undefined;

const parsed = new WeakMap<object, { text: string; blocks: Block[] }>();

/** The blocks of a message's text, which is parsed once. */
function blocksOf(message: object, text: string): Block[] {
  const known = parsed.get(message);
  if (known?.text === text) return known.blocks;
  const blocks = parse(text);
  parsed.set(message, { text, blocks });
  return blocks;
}

type TextProps = { message: Pick<Message, 'mentions' | 'mentions_all'>; text: string; end?: ComponentChildren };

/**
 * The text of a message, and `end` after it. The text becomes elements one by one: it is never
 * parsed as HTML.
 */
export function Text({ message, text, end }: TextProps) {
  const ids = message.mentions.map(({ $oid }) => $oid);
  if (ids.some((id) => !personOf(id))) void findPersons(ids);
  const { value } = session;
  const mine = value.state === 'in' || value.state === 'expired' ? value.user.username.toLowerCase() : '';
  const known = new Map(ids.map(personOf).flatMap((person) => (person ? [[person.username.toLowerCase(), person]] : [])));
  const mentions: Mentions = (typed) => {
    const names = namesOf(typed);
    const everyone = message.mentions_all ? names.find((candidate) => forEveryone.some((word) => word === candidate)) : undefined;
    const name = names.find((candidate) => known.has(candidate)) ?? everyone;
    if (name === undefined) return undefined;
    return { length: 1 + name.length, isMe: name === mine || name === everyone, name: known.get(name)?.name };
  };
  const blocks = blocksOf(message, text);
  const last = blocks.at(-1)?.type === 'paragraph' ? blocks.length - 1 : -1;
  return (
    <div class={isJumbo(blocks, emojiOf) ? 'text jumbo' : 'text'}>
      {blocks.map((block, at) => showBlock(block, { mentions, key: at, end: at === last ? end : undefined }))}
      {last < 0 && end}
    </div>
  );
}

/** A text of one line with links, such as a topic. */
export const Line = ({ text }: { text: string }) => (
  <>{parseInline(text).map((piece, at) => showInline(piece, () => undefined, at))}</>
);

/**
 * The context of a block. In an item or a quote, the first paragraph sets the direction of the
 * whole and lacks its own.
 */
type MarkdownContext = { mentions: Mentions; key: number; isFirst?: boolean; end?: ComponentChildren };

function showBlock(block: Block, { mentions, key, isFirst = false, end }: MarkdownContext): JSX.Element {
  const inline = (children: Inline[]) => children.map((child, at) => showInline(child, mentions, at));
  const blocks = (children: Block[]) => children.map((child, at) => showBlock(child, { mentions, key: at, isFirst: at === 0 }));
  const dir = isFirst ? undefined : 'auto';
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return (
        <p key={key} dir={dir} class={block.type === 'heading' ? 'heading' : undefined}>
          {inline(block.children)}
          {end && <> {end}</>}
        </p>
      );
    case 'code':
      return <Code key={key} text={block.text} language={block.language} />;
    case 'quote':
      return (
        <blockquote key={key} dir="auto">
          {blocks(block.children)}
        </blockquote>
      );
    case 'list': {
      const items = block.items.map((item, at) => (
        <li key={`${at}`} dir="auto">
          {blocks(item)}
        </li>
      ));
      return block.start === undefined ? (
        <ul key={key}>{items}</ul>
      ) : (
        <ol key={key} start={block.start}>
          {items}
        </ol>
      );
    }
    case 'table':
      return <Table key={key} table={block} inline={inline} />;
    default:
      return <hr key={key} />;
  }
}

type TableProps = { table: Block & { type: 'table' }; inline: (children: Inline[]) => ComponentChildren };

function Table({ table: { head, rows, align }, inline }: TableProps) {
  const cell = (Tag: 'th' | 'td', children: Inline[], at: number, dir?: 'auto') => (
    <Tag key={`${at}`} dir={dir} class={classOf(align[at])}>
      {inline(children)}
    </Tag>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it
    <div class="table" tabIndex={0}>
      {/* The head sets the order of the columns. */}
      <table dir="auto">
        <thead>
          <tr>{head.map((children, at) => cell(textOf(children).trim() === '' ? 'td' : 'th', children, at))}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={`${at}`}>{row.map((children, column) => cell('td', children, column, 'auto'))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const classOf = (alignment: Alignment) => alignment && `to-${alignment}`;

function showInline(piece: Inline, mentions: Mentions, key: number): ComponentChildren {
  const children = () => ('children' in piece ? piece.children.map((child, at) => showInline(child, mentions, at)) : undefined);
  switch (piece.type) {
    case 'text':
      return withRooms(piece.text, key);
    case 'code':
      return (
        <code key={key} dir="ltr">
          {piece.text}
        </code>
      );
    case 'emoji':
      return emojiOf(piece.text) ?? piece.text;
    case 'strong':
      return <strong key={key}>{children()}</strong>;
    case 'em':
      return <em key={key}>{children()}</em>;
    case 'del':
      return <del key={key}>{children()}</del>;
    case 'link': {
      const said = textOf(piece.children);
      const host = hiddenHost(said, piece.href);
      // A room or a message of this service is shown in this page.
      const isHere = piece.href.startsWith(`${location.origin}/rooms/`);
      const address = isAddress(said) ? said : undefined;
      const shown = address && ((isHere && roomAt(address)) || shortAddress(address));
      return (
        <a
          key={key}
          dir={address && !isHere ? 'ltr' : 'auto'}
          href={piece.href}
          title={shown === said ? undefined : piece.href}
          target={isHere ? undefined : '_blank'}
          rel="noopener noreferrer nofollow ugc"
        >
          {shown ?? children()}
          {piece.title && <span class="host"> ({piece.title})</span>}
          {host !== undefined && <span class="host">{strings.message.opens(host)}</span>}
        </a>
      );
    }
    default: {
      const found = mentions(piece.text);
      if (!found) return piece.text;
      return [
        found.name === undefined ? (
          <span key={key} dir="ltr" class={found.isMe ? 'mention me' : 'mention'}>
            {piece.text.slice(0, found.length)}
          </span>
        ) : (
          <bdi key={key} class={found.isMe ? 'mention me' : 'mention'} title={piece.text.slice(0, found.length)}>
            @{safeName(found.name)}
          </bdi>
        ),
        piece.text.slice(found.length),
      ];
    }
  }
}

const isAddress = (text: string) => /^(?:https?:\/\/|www\.|[\w.+-]+@)\S+$/i.test(text);

/** My rooms by their names. */
const roomNames = computed(() => nameRooms((rooms.value ?? []).filter(({ isDirect }) => !isDirect)));

/** The name for the address of one of my rooms, or of a message in it. */
function roomAt(address: string): string | undefined {
  const [, id = '', seq] = /\/rooms\/([0-9a-f]{24})(?:\/(\d+))?\/?$/.exec(address) ?? [];
  const name = roomOf(id)?.name;
  if (name === undefined) return undefined;
  return seq === undefined ? `#${safeName(name)}` : strings.message.messageIn(safeName(name));
}

/** A text with links on the names of my rooms. */
function withRooms(text: string, key: number): ComponentChildren {
  if (!text.includes('#')) return withBreaks(text);
  return splitAtRooms(text, roomNames.value).map((part, at) =>
    part.room ? (
      <a key={`${key} ${at}`} class="room-link" href={roomPath(part.room.id)}>
        <bdi>{part.text}</bdi>
      </a>
    ) : (
      withBreaks(part.text)
    ),
  );
}

function withBreaks(text: string): ComponentChildren {
  if (!text.includes('\n')) return text;
  return text.split('\n').flatMap((line, at) => (at === 0 ? [line] : [<br key={`${at}`} />, line]));
}

const loadColours = lateCode(() => import('../../text/colours.ts'));

/** A piece of code, in the colour of its kind. */
const showPiece = (piece: CodePiece, at: number): ComponentChildren =>
  typeof piece === 'string' ? (
    piece
  ) : (
    <span key={at} class={piece.kind && `code-${piece.kind}`}>
      {piece.pieces.map(showPiece)}
    </span>
  );

function Code({ text, language }: { text: string; language: string }) {
  const [isCopied, setCopied] = useState(false);
  const { value: pieces } = useLoaded(
    async () => (language ? (await loadColours()).colour(text, language) : undefined),
    [text, language],
  );
  const copy = () => void copyOut(text).then(setCopied);
  return (
    <div class="code" dir="ltr">
      {language && <span class="language">{language}</span>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it */}
      <pre tabIndex={0}>
        <code>{pieces ? pieces.map(showPiece) : text}</code>
      </pre>
      <IconButton icon={isCopied ? 'check' : 'copy'} label={strings.message.copyCode} onPress={copy} />
    </div>
  );
}
