import { outsideCode, withEmoji } from '../emoji.ts';

/** The meanings of names in a text of Zulip. */
export type Names = {
  /** The new username of a person, by the id or else the full name in Zulip. */
  usernameOf: (id: string | undefined, name: string) => string | undefined;
  emojiOf: ReadonlyMap<string, string>;
  /** Adds the file of a link to the message; returns false if it is not a file. */
  takeFile: (address: string, label: string) => boolean;
};

/** Longer texts are not converted. Zulip's limit is 10,000 characters. */
const longest = 20_000;

/**
 * Converts a text of Zulip to this service's Markdown. Most of the syntax is the same. Mentions,
 * links to channels and files, quotes and spoilers differ.
 */
export function markdownOf(content: string, names: Names): string {
  if (content.length > longest) return content;
  const text = outsideCode(content.replaceAll(fenced, quoted), (part) => withNames(part, names));
  const shown = withEmoji(text, names.emojiOf)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return shown.startsWith('/me ') ? `_${shown.slice(4).trim()}_` : shown;
}

/** Blocks that Zulip fences like code, but that are not code. */
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
      // A silent mention in Zulip, e.g. in a quote, must not mention anybody here.
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
      // An address within the old server would lead nowhere.
      takeFile(address, label) || /^[/#]/.test(address) ? label : whole,
    );
}
