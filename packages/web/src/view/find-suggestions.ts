import { idOf } from '../ids.ts';
import { me } from '../session.ts';
import { findMembers } from '../store/more-members.ts';

/** What may be put in place of the last characters before the caret. `isMeant` says that Enter puts it there, too. */
export type Suggestion = { text: string; shown: string; detail: string; replaces: number; isMeant: boolean };

const most = 8;

/** The emoji whose codes begin with what was typed. */
export async function findCodes(code: string): Promise<Suggestion[]> {
  const { findEmoji } = await import('../text/emoji.ts');
  return findEmoji(code)
    .slice(0, most)
    .map(({ emoji, codes }) => ({
      text: `${emoji} `,
      shown: emoji,
      detail: `:${codes[0]}:`,
      replaces: code.length + 1,
      isMeant: false,
    }));
}

/** The members of a room whose names begin with what was typed. */
export async function findNames(room: string, start: string): Promise<Suggestion[]> {
  // One more, as it may be me.
  const found = await findMembers(room, start, most + 1);
  const names = found.filter(({ user }) => user.$oid !== idOf(me())).map(({ username }) => username);
  // A name that was typed in full needs nothing more.
  const isBegun = (name: string) => start !== '' && name.toLowerCase().startsWith(start) && name.length > start.length;
  return names
    .slice(0, most)
    .map((name) => ({ text: `@${name} `, shown: '@', detail: name, replaces: start.length + 1, isMeant: isBegun(name) }));
}
