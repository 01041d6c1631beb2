/** The shortest time between two chunks of a message, in milliseconds. */
const everyMs = 1_000;

/**
 * Passes on at most one chunk of a message per second: the latest. A chunk repeats the text of the
 * last seconds, so nothing is lost.
 */
export class ChunkPacer<Chunk extends { message: string }> {
  readonly #waiting = new Map<string, Chunk | undefined>();

  offer(chunk: Chunk, send: (chunk: Chunk) => void): void {
    const { message } = chunk;
    if (this.#waiting.has(message)) {
      this.#waiting.set(message, chunk);
      return;
    }
    this.#waiting.set(message, undefined);
    send(chunk);
    setTimeout(() => {
      const latest = this.#waiting.get(message);
      this.#waiting.delete(message);
      if (latest) this.offer(latest, send);
    }, everyMs).unref();
  }
}
