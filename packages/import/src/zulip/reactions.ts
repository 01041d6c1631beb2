import { normaliseEmoji } from 'chat-service-rules/reactions';
import { type Json, numberOf, textOf } from '../json.ts';
import type { SourceMessage } from '../source.ts';

/** The reactions by message. Each takes about thirty bytes, because there may be millions. */
export class ZulipReactions {
  readonly #messages: number[] = [];
  readonly #users: number[] = [];
  readonly #emoji: number[] = [];
  readonly #all: string[] = [];
  readonly #numbers = new Map<string, number>();
  #order = new Uint32Array(0);
  /** The emoji of the reactions, by their names in Zulip. */
  readonly emojiOf = new Map<string, string>();

  /** Adds a reaction; returns false if it is invalid. */
  add({ message, user_profile, emoji_name, emoji_code, reaction_type }: Json): boolean {
    const [of, user, name] = [numberOf(message), numberOf(user_profile), textOf(emoji_name)];
    if (of === undefined || user === undefined || name === undefined) return false;
    const character = reaction_type === undefined || reaction_type === 'unicode_emoji' ? characterOf(emoji_code) : undefined;
    if (character !== undefined) this.emojiOf.set(name, character);
    const emoji = character ?? name;
    const number = this.#numbers.get(emoji) ?? this.#all.push(emoji) - 1;
    this.#numbers.set(emoji, number);
    this.#messages.push(of);
    this.#users.push(user);
    this.#emoji.push(number);
    return true;
  }

  /** Call it after all reactions were added. */
  sort(): void {
    const messages = this.#messages;
    this.#order = Uint32Array.from(messages.keys()).sort(
      (one, other) => (messages[one] ?? 0) - (messages[other] ?? 0) || one - other,
    );
  }

  of(message: number): SourceMessage['reactions'] {
    const found: SourceMessage['reactions'] = [];
    for (let at = this.#firstOf(message); at < this.#order.length; at++) {
      const index = this.#order[at] ?? 0;
      if (this.#messages[index] !== message) break;
      found.push({ emoji: this.#all[this.#emoji[index] ?? 0] ?? '', user: String(this.#users[index]) });
    }
    return found;
  }

  #firstOf(message: number): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#messages[this.#order[middle] ?? 0] ?? 0) < message) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The emoji of a code, which is its characters in hexadecimal: `1f1e9-1f1ea`. */
function characterOf(code: unknown): string | undefined {
  if (typeof code !== 'string' || !/^[0-9a-f]{2,6}(-[0-9a-f]{2,6}){0,15}$/i.test(code)) return undefined;
  const points = code.split('-').map((digits) => Number.parseInt(digits, 16));
  return points.every((point) => point <= 0x10ffff) ? normaliseEmoji(String.fromCodePoint(...points)) : undefined;
}
