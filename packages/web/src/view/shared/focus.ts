/*
 * Where the focus goes: what somebody types belongs in the field for messages, unless they went
 * somewhere else on purpose.
 */

/**
 * Whether the focus came to an element by the keyboard. A click leaves it on a button that nobody
 * means to type at.
 */
export const isByKeyboard = (element: Element | null): boolean =>
  element !== null && element !== document.body && element.matches(':focus-visible');

/** Whether keys change what an element says. */
export const takesText = (element: EventTarget | null): boolean =>
  element instanceof HTMLElement &&
  (element.isContentEditable || element.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])'));

/**
 * The field for messages that belongs to an element: that of the thread in which it is, or that of
 * the room.
 */
function composerOf(element: Element | null): HTMLElement | undefined {
  const places = [element?.closest('.side, .thread-card'), document.querySelector('.room-pane, .side')];
  return (
    places
      .map((place) => place?.querySelector<HTMLElement>('.composer textarea'))
      .find((field) => field?.checkVisibility() === true) ?? undefined
  );
}

/**
 * Moves the focus to the field for messages that belongs to an element; returns whether there is
 * one.
 */
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

/**
 * Does the same where there is a keyboard: under a finger, the focus would bring up one on glass.
 */
export function returnToComposer(element: Element | null = null): void {
  if (!matchMedia('(pointer: coarse)').matches) focusComposer(element);
}

/**
 * Remembers the focused element when something opens over it. The result gives the focus back to
 * that element if it was reached by keyboard. Otherwise it focuses the message field, where a mouse
 * user continues to type.
 */
export function rememberFocus(): () => void {
  const before = document.activeElement as HTMLElement | null;
  const mustHaveIt = isByKeyboard(before) || matchMedia('(pointer: coarse)').matches;
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

/**
 * Focuses the field for messages of a room that is about to be drawn, where there is a keyboard.
 */
export const composeNext = (): unknown => setTimeout(() => returnToComposer());
