import { withCheckout } from './checkout.ts';
import type { Bench, Figure } from './figure.ts';
import { people, rowName, withFilledServer } from './http.ts';
import { bestOf, type CallTarget, type Load, type Target, warmUp, withClients } from './load.ts';
import type { Operation } from './operations.ts';

/** The least acceptable speed of a row, relative to the other commit. */
const leastSpeed = 0.9;

/** A target on this commit and its counterpart on the other one. */
type Pair = readonly [here: Target, there: Target];

/** Measures the production server and that of another commit, alternating for each workload. */
export const compareWith = (commit: string, bench: Bench): Promise<Figure[]> => {
  bench.progress(`installing ${commit}`);
  return withCheckout(commit, (checkout) =>
    withFilledServer(bench, (here, workloads) =>
      withFilledServer(
        bench,
        (there, otherWorkloads) =>
          withClients(async (call) => {
            const figures: Figure[] = [];
            for (const [at, workload] of workloads.entries()) {
              if (!isWanted(workload.name)) continue;
              const otherWorkload = otherWorkloads[at];
              if (otherWorkload?.name !== workload.name)
                throw new Error(`The workload ${workload.name} is not the same in both.`);
              const pair: Pair = [
                { url: here.url, pid: here.pid, workload },
                { url: there.url, pid: there.pid, workload: otherWorkload },
              ];
              if (!(await isKnown(pair[1]))) {
                bench.progress(`${workload.name}: ${commit} does not have this operation`);
                continue;
              }
              for (const connections of [people, 1]) {
                bench.progress(rowName(workload.name, connections));
                figures.push(...figuresOf(workload.name, connections, await callByTurns(call, connections, pair, bench)));
              }
            }
            return figures;
          }),
        checkout,
      ),
    ),
  );
};

/** `WORKLOADS` limits the run to workloads whose name contains it. */
const isWanted = (name: string): boolean => name.includes(process.env.WORKLOADS ?? '');

/** Calls a workload once: whether its server has this operation, which an older commit may lack. */
async function isKnown({ url, workload: { calls } }: Target): Promise<boolean> {
  const { method, path, token, body } = calls[0] as Operation;
  const { status } = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-auth-token': token, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return status !== 404 && status !== 405;
}

async function callByTurns(call: CallTarget, connections: number, pair: Pair, { seconds, rounds }: Bench): Promise<[Load, Load]> {
  for (const target of pair) await warmUp(call, target, connections, seconds);
  const loads: [Load[], Load[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    // Each server comes first in every other round.
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      loads[at].push(await call(pair[at], connections, seconds));
  }
  return [bestOf(loads[0]), bestOf(loads[1])];
}

function figuresOf(workload: string, connections: number, [here, there]: [Load, Load]): Figure[] {
  const name = rowName(workload, connections);
  const speed: Figure =
    connections > 1
      ? {
          name,
          unit: 'per second',
          value: here.rate,
          reference: there.rate,
          goal: { of: 'ratio', atLeast: leastSpeed },
        }
      : {
          name: `${name}, p50`,
          unit: 'ms',
          value: here.p50,
          reference: there.p50,
          goal: { of: 'ratio', atMost: 1 / leastSpeed },
        };
  const processor: Figure[] =
    here.processor === undefined || there.processor === undefined
      ? []
      : [{ name: `${name}, processor time`, unit: 'ms', value: here.processor, reference: there.processor }];
  const faults: Figure = { name: `${name}, errors`, unit: 'requests', value: here.faults, goal: { of: 'value', atMost: 0 } };
  return [speed, ...processor, faults];
}
