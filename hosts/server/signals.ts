/** Calls `end` once when this process has to end: by a signal, or because what started it has gone. */
export function onEnd(end: () => void): void {
  let isEnding = false;
  const once = () => {
    if (isEnding) return; // npm and the terminal may both send a signal
    isEnding = true;
    end();
  };
  process.on('SIGTERM', once);
  process.on('SIGINT', once);
  // npm's shell takes the signals that npm passes on, and dies without passing them on itself.
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && once(), 200).unref();
  }
}
