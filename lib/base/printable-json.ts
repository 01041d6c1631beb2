/**
 * A value as JSON that changes nothing about the terminal on which it is shown: with escapes, too, for control
 * characters after the first 32, for those that end a line for some programs, and for those that turn the direction
 * of what follows.
 */
export function toPrintableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Nearly all is plain ASCII, of which this is known sooner.
  if (!/[\u007f-\uffff]/.test(json)) return json;
  return json.replace(
    /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
