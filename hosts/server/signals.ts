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
  // npm's shell receives npm's signals, and exits without forwarding them.
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && once(), 200).unref();
  }
}
