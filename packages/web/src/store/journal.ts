import type { Message } from '../service/api.ts';

/** Messages that come while answers are awaited. An answer may be older than they are. */
export class Journal {
  readonly #reads = new Set<Message[]>();

  /** Adds messages as they are now. */
  add(messages: readonly Message[]): void {
    for (const news of this.#reads) news.push(...messages);
  }

  /** Forgets them, because the history was replaced. */
  clear(): void {
    for (const news of this.#reads) news.length = 0;
  }

  /** Resolves to an answer and the messages that came in the meantime; rejects like the request. */
  async read<T>(request: Promise<T>): Promise<{ answer: T; news: readonly Message[] }> {
    const news: Message[] = [];
    this.#reads.add(news);
    try {
      return { answer: await request, news };
    } finally {
      this.#reads.delete(news);
    }
  }
}
