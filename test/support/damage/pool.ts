import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { usualUri } from 'embedded-mongodb/address';
import { environmentOf } from './template.ts';
import type { Job, JobResult } from './worker.ts';

/** The end of a job: its result, or that it exceeded its limit, with its duration and CPU time. */
export type JobEnd = JobResult & {
  readonly printed: string;
  readonly isPastLimit: boolean;
  readonly wallMs: number;
  readonly cpuMs: number;
};

const workerScript = fileURLToPath(new URL('./worker.ts', import.meta.url));

/**
 * The time limit of a job. On a busy machine it gets more time, until it has used half of this as
 * CPU time. A job that does nothing is ended in any case.
 */
const limitMs = 40_000;
const longestMs = 15 * 60_000;

/**
 * Runs jobs on a data directory, one after the other, in a process that is restarted after each job
 * that had to be ended.
 */
export class JobRunner {
  readonly #dataDir: string;
  #child: ChildProcess | undefined;
  #printed = '';

  /** `dataDir` must contain a template when the process starts. */
  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** True if a process runs. It must not be started on a damaged directory. */
  get isReady(): boolean {
    return this.#child !== undefined;
  }

  async start(): Promise<void> {
    const env = { ...process.env, ...environmentOf(this.#dataDir), MONGODB_URI: usualUri(this.#dataDir), VITEST: '' };
    const child = fork(workerScript, { env, execArgv: ['--no-warnings'], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (this.#printed = `${this.#printed}${chunk}`.slice(-20_000)));
    this.#child = child;
    const { said } = await this.#answer(child);
    if (said !== 'ready') throw new Error(`The worker did not start: ${said} ${this.#printed}`);
  }

  async run(job: Job): Promise<JobEnd> {
    const child = this.#child as ChildProcess;
    this.#printed = '';
    const [begun, cpuBefore] = [performance.now(), processorMs(child.pid)];
    child.send(job);
    let isPastLimit = false;
    const cpuMs = () => processorMs(child.pid) - cpuBefore;
    const watch = setInterval(() => {
      const wallMs = performance.now() - begun;
      if (wallMs < limitMs || (cpuMs() < limitMs / 2 && wallMs < longestMs)) return;
      isPastLimit = true;
      this.#end();
    }, 500);
    let used = 0;
    const result = await this.#answer(child, () => {
      used = cpuMs();
    });
    clearInterval(watch);
    // A request that reads values of wrong types may fail, but a database command must not.
    const printed = /unexpectedly|Uncaught/.test(this.#printed) ? this.#printed : undefined;
    if (result.crash !== undefined) this.#end();
    return {
      ...result,
      ...(printed && !result.crash && { crash: printed }),
      printed: this.#printed,
      isPastLimit,
      wallMs: performance.now() - begun,
      cpuMs: used,
    };
  }

  stop(): void {
    this.#end();
  }

  #answer(child: ChildProcess, ended = () => {}): Promise<JobResult> {
    return new Promise((resolve) => {
      const settle = (result: JobResult) => {
        ended();
        child.removeAllListeners();
        resolve(result);
      };
      child.once('message', settle);
      child.once('exit', (code, signal) => {
        if (this.#child === child) this.#child = undefined;
        settle({ code: -1, said: '', crash: `the process ended with ${signal ?? code}: ${this.#printed}` });
      });
    });
  }

  #end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

/** The CPU time of a process and of its finished children. */
function processorMs(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
  } catch {
    return 0;
  }
}

/** The processes whose command line contains a text. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return command.includes(text) ? [`${pid} ${command}`] : [];
    } catch {
      return [];
    }
  });
}
