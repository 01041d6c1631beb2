/**
 * Copies a text, which may be a promise; resolves to true on success. Safari only copies during the
 * click, so it gets the promise at once.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  // No browser copies over plain http.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!clipboard) return false;
  try {
    await (typeof text === 'string' ? clipboard.writeText(text) : clipboard.write([itemOf(text)]));
    return true;
  } catch {
    // Some browsers do not accept a promise.
    return typeof text !== 'string' && (await copyText(await text));
  }
}

const itemOf = (text: Promise<string>) =>
  new ClipboardItem({ 'text/plain': text.then((copied) => new Blob([copied], { type: 'text/plain' })) });
