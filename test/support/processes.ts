import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** Processes of their own, as many functions of a service are, that run the same worker. */
export type Processes<Input, Result> = {
  /** Gives each process one input, to all at once, and returns what they answer. */
  run: (inputs: Input[]) => Promise<Result[]>;
  end: () => void;
};

/** Starts so many processes of `test/support/workers/<worker>.ts`, and waits until all are ready. */
export async function startProcesses<Input, Result>(count: number, worker: string): Promise<Processes<Input, Result>> {
  const script = new URL(`workers/${worker}.ts`, import.meta.url);
  const children = Array.from({ length: count }, () =>
    fork(script, { execArgv: [], stdio: 'inherit', env: { ...process.env, LOG_LEVEL: 'error' } }),
  );
  await Promise.all(children.map(message));
  return {
    run: (inputs) => Promise.all(inputs.map((input, index) => ask<Input, Result>(children[index] as ChildProcess, input))),
    end: () => {
      for (const child of children) if (child.connected) child.disconnect();
    },
  };
}

async function ask<Input, Result>(child: ChildProcess, input: Input): Promise<Result> {
  const answer = message(child);
  child.send(input as object);
  return (await answer) as Result;
}

/** The next message of a process; fails if it ends instead. */
async function message(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(([code]) => Promise.reject(new Error(`A process ended with ${code}`)));
  try {
    return (await Promise.race([once(child, 'message', { signal }), ended]))[0];
  } finally {
    over.abort();
  }
}
