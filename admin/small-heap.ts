/*
 * The first import of the command: for an import, V8 keeps as little memory in reserve as under `npm run admin`, however the
 * command is started. It takes half of the memory then. V8 reads the size of its young generation only when it starts, so the
 * process replaces itself: its id, its terminal and its signals stay, and it has not done anything yet.
 */

/** As in the scripts of package.json. */
const flags = ['--max-semi-space-size=16', '--heap-growing-percent=30'];

const nameOf = (flag: string) => flag.split('=')[0];
const missing = flags.filter((flag) => !process.execArgv.some((one) => nameOf(one) === nameOf(flag)));

// Windows has no such call.
if (process.argv[2] === 'import' && missing.length > 0 && process.platform !== 'win32')
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)], process.env);
