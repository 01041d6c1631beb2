import { signal } from '@preact/signals';

/**
 * A bot's answer to a command, for its caller alone, and the place of the command. `text` is
 * missing until the bot answers.
 */
type BotAnswer = { user: string; place: string; by: string; text: string | undefined };

/** The last one, until it is dismissed. */
export const answer = signal<BotAnswer | undefined>(undefined);
