import { signal } from '@preact/signals';

/** What a bot has answered to a command for its caller alone, and where that was typed; without a text while it is asked. */
type BotAnswer = { user: string; place: string; by: string; text: string | undefined };

/** The last one, until it is dismissed. */
export const answer = signal<BotAnswer | undefined>(undefined);
