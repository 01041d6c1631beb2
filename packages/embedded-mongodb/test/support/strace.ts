import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Explains why system calls cannot be traced here; `undefined` if they can. */
export function whyNoStrace(): string | undefined {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'strace is not installed' : 'strace may not trace here';
  }
}

/**
 * Makes one sync of a running process fail: number `number` of all syncs or, with `path`, of that
 * file's.
 */
export async function failSync(pid: number, number: number, path?: string): Promise<{ detach(): Promise<void> }> {
  const only = path === undefined ? [] : ['-P', path];
  const inject = `inject=fsync,fdatasync:error=EIO:when=${number}`;
  const strace = spawn('strace', ['-f', '-p', String(pid), ...only, '-e', 'trace=fsync,fdatasync', '-e', inject], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await attached(strace);
  return {
    async detach() {
      if (strace.exitCode !== null || strace.signalCode !== null) return;
      const ended = once(strace, 'exit');
      strace.kill('SIGINT');
      await ended;
    },
  };
}

async function attached(strace: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    strace.stderr?.on('data', (chunk) => {
      output += chunk;
      if (output.includes('attached')) resolve();
    });
    strace.once('exit', (code) => reject(new Error(`strace ended with ${code}: ${output}`)));
  });
}
