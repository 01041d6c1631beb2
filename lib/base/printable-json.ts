/**
 * JSON that is safe to print on a terminal. It also escapes characters that `JSON.stringify`
 * leaves: C1 control characters, Unicode line ends, and characters that change the text direction.
 */
export function toPrintableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // A fast check: nearly all values are plain ASCII.
  if (!/[\u007f-\uffff]/.test(json)) return json;
  return json.replace(
    /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
