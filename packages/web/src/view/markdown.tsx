import { useState } from 'preact/hooks';
import type { Message } from '../api.ts';
import { session } from '../session.ts';
import { findNames, nameOf } from '../store/names.ts';
import { strings } from '../strings.ts';
import type { Inline } from '../text/inline.ts';
import { hiddenHost } from '../text/links.ts';
import { type Block, parse } from '../text/parse.ts';
import { IconButton } from './controls.tsx';

/** Who is mentioned by a name in a text. */
type Mentions = (name: string) => { name: string; isMe: boolean } | undefined;

const parsed = new WeakMap<object, { text: string; blocks: Block[] }>();

/** The blocks of a message's text, which is parsed once. */
function blocksOf(message: object, text: string): Block[] {
  const known = parsed.get(message);
  if (known?.text === text) return known.blocks;
  const blocks = parse(text);
  parsed.set(message, { text, blocks });
  return blocks;
}

/** A message's text. What it says becomes elements one by one: nothing that anyone wrote is ever read as HTML. */
export function Text({ message, text }: { message: Pick<Message, 'mentions'>; text: string }) {
  const ids = message.mentions.map(({ $oid }) => $oid);
  if (ids.some((id) => nameOf(id) === undefined)) void findNames(ids);
  const { value } = session;
  const mine = value.state === 'in' || value.state === 'expired' ? value.user.username.toLowerCase() : '';
  const mentions: Mentions = (written) => {
    const lower = written.toLowerCase();
    const known = ids.map((id) => nameOf(id)?.toLowerCase());
    const name = [lower, lower.replace(/[._-]+$/, '')].find((candidate) => known.includes(candidate));
    return name === undefined ? undefined : { name: written.slice(0, name.length), isMe: name === mine };
  };
  return (
    <div class="text" dir="auto">
      {blocksOf(message, text).map((block, at) => showBlock(block, mentions, at))}
    </div>
  );
}

function showBlock(block: Block, mentions: Mentions, key: number): preact.JSX.Element {
  const inline = (children: Inline[]) => children.map((child, at) => showInline(child, mentions, at));
  const blocks = (children: Block[]) => children.map((child, at) => showBlock(child, mentions, at));
  switch (block.type) {
    case 'paragraph':
      return <p key={key}>{inline(block.children)}</p>;
    case 'heading':
      return (
        <p key={key} class="heading">
          {inline(block.children)}
        </p>
      );
    case 'code':
      return <Code key={key} text={block.text} />;
    case 'quote':
      return <blockquote key={key}>{blocks(block.children)}</blockquote>;
    case 'list': {
      const items = block.items.map((item, at) => <li key={`${at}`}>{blocks(item)}</li>);
      return block.start === undefined ? (
        <ul key={key}>{items}</ul>
      ) : (
        <ol key={key} start={block.start}>
          {items}
        </ol>
      );
    }
    case 'table':
      return (
        <div key={key} class="table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={`${at}`}>{inline(cell)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={`${at}`}>
                  {row.map((cell, column) => (
                    <td key={`${column}`}>{inline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    default:
      return <hr key={key} />;
  }
}

function showInline(piece: Inline, mentions: Mentions, key: number): preact.ComponentChild {
  const children = () => ('children' in piece ? piece.children.map((child, at) => showInline(child, mentions, at)) : undefined);
  switch (piece.type) {
    case 'text':
      return withBreaks(piece.text);
    case 'code':
      return <code key={key}>{piece.text}</code>;
    case 'strong':
      return <strong key={key}>{children()}</strong>;
    case 'em':
      return <em key={key}>{children()}</em>;
    case 'del':
      return <del key={key}>{children()}</del>;
    case 'link': {
      const host = hiddenHost(plainOf(piece.children), piece.href);
      return (
        <a key={key} href={piece.href} target="_blank" rel="noopener noreferrer nofollow ugc">
          {children()}
          {host !== undefined && <span class="host">{strings.message.opens(host)}</span>}
        </a>
      );
    }
    default: {
      const who = mentions(piece.name);
      if (!who) return `@${piece.name}`;
      return [
        <span key={key} class={who.isMe ? 'mention me' : 'mention'}>
          @{who.name}
        </span>,
        piece.name.slice(who.name.length),
      ];
    }
  }
}

function withBreaks(text: string): preact.ComponentChild {
  if (!text.includes('\n')) return text;
  return text.split('\n').flatMap((line, at) => (at === 0 ? [line] : [<br key={`${at}`} />, line]));
}

/** What a piece of text says, without its marks. */
const plainOf = (pieces: readonly Inline[]): string =>
  pieces
    .map((piece) => ('children' in piece ? plainOf(piece.children) : piece.type === 'mention' ? `@${piece.name}` : piece.text))
    .join('');

function Code({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard?.writeText(text).then(() => setCopied(true));
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code dir="ltr">{text}</code>
      </pre>
      {navigator.clipboard && <IconButton icon={isCopied ? 'check' : 'copy'} label={strings.message.copyCode} onPress={copy} />}
    </div>
  );
}
