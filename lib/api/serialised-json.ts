/** The result of an operation as pre-serialised JSON. */
export class SerialisedJson<Shown> {
  declare readonly shown: Shown;
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

// Several requests may return the same list, which never changes, so its JSON is made once.
const textOf = new WeakMap<unknown[], string>();

/** The JSON of an operation's result. */
export function jsonOf(value: unknown): string {
  if (value instanceof SerialisedJson) return value.json;
  if (!Array.isArray(value)) return JSON.stringify(value);
  const text = textOf.get(value) ?? JSON.stringify(value);
  textOf.set(value, text);
  return text;
}
