import { outsideCode, withEmoji } from '../emoji.ts';

/** What the names in a text of Zulip stand for. */
export type Names = {
  /** The username that somebody has here, by the id or else the full name in Zulip. */
  usernameOf: (id: string | undefined, name: string) => string | undefined;
  emojiOf: ReadonlyMap<string, string>;
  /** Takes the file of a link; false where it is none. */
  takeFile: (address: string, label: string) => boolean;
};

/** Longer texts stay as they are: Zulip's own have 10 000 characters at most. */
const longest = 20_000;

/**
 * A text of Zulip in the Markdown of here. Most of it is the same. Mentions, links to channels and files, quotes and
 * spoilers are not.
 */
export function markdownOf(content: string, names: Names): string {
  if (content.length > longest) return content;
  const text = outsideCode(content.replaceAll(fenced, quoted), (part) => withNames(part, names));
  const shown = withEmoji(text, names.emojiOf)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return shown.startsWith('/me ') ? `_${shown.slice(4).trim()}_` : shown;
}

/** Blocks that Zulip fences like code, and that are not code. */
const fenced = /^(`{3,}|~{3,}) ?(quote|spoiler)\b([^\n]*)\n([\s\S]*?)\n?\1[ \t]*$/gm;

const quoted = (_whole: string, _fence: string, kind: string, title: string, text: string): string => {
  const head = kind === 'spoiler' ? title.trim() : '';
  return (head === '' ? text : `${head}\n${text}`).replaceAll(/^/gm, '> ');
};

function withNames(part: string, names: Names): string {
  const { usernameOf, takeFile } = names;
  return part
    .replaceAll(/@(_?)\*\*([^*\n]+)\*\*/g, (_whole, silent: string, called: string) => {
      const [, name = called, id] = /^(.*)\|(\d+)$/.exec(called) ?? [];
      const username = usernameOf(id, name);
      // What mentions nobody in Zulip, such as who is quoted, mentions nobody here.
      return silent !== '' ? name : `@${username ?? name}`;
    })
    .replaceAll(/@_?\*([^*\n]+)\*/g, '@$1')
    .replaceAll(/#\*\*([^*\n>]+)(?:>([^*\n]*))?\*\*/g, (_whole, channel: string, topic?: string) => {
      const [, title = topic] = /^(.*)@\d+$/.exec(topic ?? '') ?? [];
      return title ? `#${channel} > ${title}` : `#${channel}`;
    })
    .replaceAll(/<time:([^<>\n]{1,50})>/g, '$1')
    .replaceAll(/^[ \t]*!?\[([^[\]\n]*)\]\(([^()\s]+)\)[ \t]*$/gm, (whole, label: string, address: string) =>
      takeFile(address, label) ? '' : whole,
    )
    .replaceAll(/!?\[([^[\]\n]*)\]\(([^()\s]+)\)/g, (whole, label: string, address: string) =>
      // An address within that server leads nowhere from here.
      takeFile(address, label) || /^[/#]/.test(address) ? label : whole,
    );
}
