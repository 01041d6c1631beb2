/** Calls `end` when this process shall end: told so once or more by a signal, or left behind by what started it. */
export function onEnd(end: () => void): void {
  let isEnding = false;
  const once = () => {
    if (isEnding) return; // npm and the terminal may both tell
    isEnding = true;
    end();
  };
  process.on('SIGTERM', once);
  process.on('SIGINT', once);
  // npm's shell takes the signals that npm passes on, and dies without telling.
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && once(), 200).unref();
  }
}
