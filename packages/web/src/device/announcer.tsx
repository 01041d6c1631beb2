import { signal } from '@preact/signals';

/** The lines for screen readers: only new events, never history. */
const said = signal<readonly { id: number; text: string }[]>([]);
const toast = signal<string | undefined>(undefined);
let last = 0;
let saidAt = Number.NEGATIVE_INFINITY;
let toastTimer: ReturnType<typeof setTimeout> | undefined;

/** Announces a text; drops an `isPatient` one if there was another in the last three seconds. */
export function announce(text: string, { isPatient = false } = {}): void {
  if (isPatient && performance.now() - saidAt < 3_000) return;
  saidAt = performance.now();
  said.value = [...said.value.slice(-4), { id: ++last, text }];
}

/** Says it to everyone for a moment. */
export function notice(text: string): void {
  announce(text);
  toast.value = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    toast.value = undefined;
  }, 4_000);
}

/** The live region of the announcements. */
export const Announcer = () => (
  <>
    <div class="visually-hidden" role="log" aria-live="polite">
      {said.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
    {toast.value !== undefined && (
      <p class="toast" aria-hidden="true">
        {toast.value}
      </p>
    )}
  </>
);
