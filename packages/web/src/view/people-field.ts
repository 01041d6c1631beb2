/** The usernames in what somebody typed: separated by blanks or commas, with or without the `@` of a mention. */
export const namesIn = (typed: string): string[] =>
  typed
    .split(/[\s,]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter(Boolean);
