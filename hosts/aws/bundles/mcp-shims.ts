/* Replaces a schema validator of 150 kB that the MCP library loads and the service does not use. */

/** The library makes one only if a server names none. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This bundle does not validate schemas.');
  }
}

export { default as process } from 'node:process';

// Node.js loads its fetch client with the first use of these, which takes 40 ms: here, not in the
// first request.
void globalThis.Request;
