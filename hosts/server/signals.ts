/** Calls `end` once when this process must end: after a signal, or when its parent is gone. */
export function onEnd(end: () => void): void {
  let isEnding = false;
  const once = () => {
    if (isEnding) return; // npm and the terminal may both send a signal
    isEnding = true;
    end();
  };
  process.on('SIGTERM', once);
  process.on('SIGINT', once);
  onOrphaned(once);
}

/**
 * Calls `end` when the shell of npm that started this process is gone. It receives npm's signals,
 * and exits without forwarding them.
 */
export function onOrphaned(end: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, 200).unref();
}
