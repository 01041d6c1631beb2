/**
 * Copies a text that may be yet to come; resolves to whether it was copied. Safari copies only what
 * a press asked for, so that it gets the promise at once.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  // No browser copies over plain http.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!clipboard) return false;
  try {
    await (typeof text === 'string' ? clipboard.writeText(text) : clipboard.write([itemOf(text)]));
    return true;
  } catch {
    // Some browsers take no promise.
    return typeof text !== 'string' && (await copyText(await text));
  }
}

const itemOf = (text: Promise<string>) =>
  new ClipboardItem({ 'text/plain': text.then((copied) => new Blob([copied], { type: 'text/plain' })) });
