/*
 * The first import of the command. For an import, it makes V8 keep as little memory in reserve as
 * `npm run admin` does, which halves the memory. V8 reads the size of its young generation only at
 * its start, so the process replaces itself. It keeps its id, its terminal and its signals, and has
 * not done anything yet.
 */

/** As in the scripts of package.json. */
const flags = ['--max-semi-space-size=16', '--heap-growing-percent=30'];

const nameOf = (flag: string) => flag.split('=')[0];
const missing = flags.filter((flag) => !process.execArgv.some((one) => nameOf(one) === nameOf(flag)));

// Windows does not have such a call.
if (process.argv[2] === 'import' && missing.length > 0 && process.platform !== 'win32')
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)], process.env);
