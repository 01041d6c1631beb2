import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The account and the limit that explain an error of the operating system. */
type Circumstances = { readonly account: string; readonly openFiles: string };

/** Describes an error of the operating system as a sentence; `undefined` for other errors. */
export function describeSystemError(error: unknown): string | undefined {
  const reason = explainSystemError(error);
  return reason && `The operating system refused a file: ${reason}.`;
}

/**
 * Explains an error of the operating system by the path and the account or limit; `undefined` for
 * other errors.
 */
export function explainSystemError(error: unknown, { account, openFiles } = circumstances()): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const place = path === undefined ? 'a file' : path;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `${account} may not open or change ${place} (${code}): give it to this user, or run the command as its owner`;
    case 'EROFS':
      return `${place} is on a file system that is mounted read-only (${code})`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space is left for ${place} (${code})`;
    case 'EMFILE':
      return `this process has as many files open as it may, ${openFiles} (${code}): raise the limit (ulimit -n, or LimitNOFILE= of systemd)`;
    case 'ENFILE':
      return `this machine has as many files open as it may (${code}): raise fs.file-max`;
    default:
      return undefined;
  }
}

function circumstances(): Circumstances {
  return { account: accountName(), openFiles };
}

function accountName(): string {
  try {
    return `user '${userInfo().username}'`;
  } catch {
    // In a container, the user id may lack a name.
    return `user ${process.getuid?.()}`;
  }
}

// Read at the start: once the limit is reached, the process cannot read it.
const openFiles = openFileLimit();

function openFileLimit(): string {
  try {
    return /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
