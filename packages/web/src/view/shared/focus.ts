/* The focus. Typed text belongs in the message field, unless the user went elsewhere on purpose. */

/**
 * True if an element was focused by keyboard. A click also focuses a button, but the user does not
 * want to type there.
 */
export const isByKeyboard = (element: Element | null): boolean =>
  element !== null && element !== document.body && element.matches(':focus-visible');

/** True if keys change the value of an element. */
export const takesText = (element: EventTarget | null): boolean =>
  element instanceof HTMLElement &&
  (element.isContentEditable || element.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])'));

/** The message field of an element's thread, or of the room. */
function composerOf(element: Element | null): HTMLElement | undefined {
  const places = [element?.closest('.side, .thread-card'), document.querySelector('.room-pane, .side')];
  return (
    places
      .map((place) => place?.querySelector<HTMLElement>('.composer textarea'))
      .find((field) => field?.checkVisibility() === true) ?? undefined
  );
}

/** Focuses the message field of an element's thread or room; returns true if there is one. */
export function focusComposer(element: Element | null = null): boolean {
  const field = composerOf(element);
  if (field) focusAnew(field);
  return field !== undefined;
}

/**
 * Focuses an element, even if the browser says that it has the focus. When a dialog closes,
 * Chromium returns the focus to a field without a caret, and drops typed text.
 */
function focusAnew(element: HTMLElement): void {
  if (element === document.activeElement) element.blur();
  element.focus({ preventScroll: true });
}

/** Focuses the message field, except on touch screens, where the focus would open the keyboard. */
export function returnToComposer(element: Element | null = null): void {
  if (!matchMedia('(pointer: coarse)').matches) focusComposer(element);
}

/**
 * Remembers the focused element when something opens over it. The result returns the focus to that
 * element if it was reached by keyboard, or is in a dialog. Otherwise it focuses the message field,
 * where a mouse user continues to type.
 */
export function rememberFocus(): () => void {
  const before = document.activeElement as HTMLElement | null;
  const isInDialog = before?.closest('dialog') != null;
  const mustHaveIt = isInDialog || isByKeyboard(before) || matchMedia('(pointer: coarse)').matches;
  return () => {
    if (before?.isConnected && (mustHaveIt || !focusComposer(before))) focusAnew(before);
    else if (!before?.isConnected) returnToComposer();
  };
}

/**
 * Moves the focus from a button pressed by mouse to the message field, so that the user can type
 * the next message.
 */
export function leaveButton(button: HTMLElement): void {
  if (!isByKeyboard(button)) returnToComposer(button);
}

/** Focuses the message field of a room that is about to be drawn, except on touch screens. */
export const composeNext = (): unknown => setTimeout(() => returnToComposer());
