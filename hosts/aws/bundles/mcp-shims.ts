/* Replaces parts that the MCP library loads and this service does not need, in the bundle alone. */

/** A schema validator of 150 kB. The library makes one only if a server names none. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This bundle does not validate schemas.');
  }
}

export { default as process } from 'node:process';

/** A response of the library: JSON, or nothing. The one of Node.js loads its fetch client. */
export class Response {
  readonly status: number;
  readonly #text: string;

  constructor(body: string | null, { status = 200 }: { status?: number } = {}) {
    if (body !== null && typeof body !== 'string') throw new TypeError('This bundle does not stream.');
    this.#text = body ?? '';
    this.status = status;
  }

  static json = (value: unknown, settings?: { status?: number }): Response => new Response(JSON.stringify(value), settings);

  text = async (): Promise<string> => this.#text;
}
