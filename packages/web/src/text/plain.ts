/** A text on one line, without the commonest marks: for a glance at it, not for reading. */
export const plainText = (text: string): string =>
  text
    .replaceAll(/[*_~`>#]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
