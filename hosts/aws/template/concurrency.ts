/** The setting with the reserved concurrency of one function. */
export const concurrencySetting = (name: string) => `CONCURRENCY_${name.toUpperCase().replaceAll('-', '_')}`;

/** The most calls at the same moment that the gateway admits to a route that hashes a password. */
export const loginBurst = 10;

/** Functions with many calls, and their parts of the concurrency that is reserved. */
const parts = { messages: 0.35, events: 0.3, members: 0.15, socket: 0.15, push: 0.05 };

/** AWS keeps this much of an account's concurrency for functions without a reservation. */
const leastUnreserved = 100;

/** Connections that are left to others: the command line, backups, an earlier version during a deployment. */
const spare = 0.2;

/** How many functions may run at the same time. */
export type ConcurrencyPlan = {
  /** All together, so that each can open its connections. */
  all: number;
  /** By function: this many of them can always run, and not more. */
  reserved: Record<string, number>;
  /** All other functions together, if the account's quota is `all`. */
  others: number;
};

/**
 * Shares out the connections of a cluster. A running function has its pool, and one connection that monitors the
 * server.
 */
export function planConcurrency(connectionLimit: number, poolSize: number): ConcurrencyPlan {
  const all = Math.floor(((1 - spare) * connectionLimit) / (poolSize + 1));
  const budget = Math.min(Math.floor(0.6 * all), all - leastUnreserved);
  if (budget < 2 * loginBurst)
    throw new Error(
      `CONNECTION_LIMIT is too small: ${connectionLimit} connections are for ${all} functions, of which AWS keeps ${leastUnreserved} unreserved.`,
    );
  const shared = budget - loginBurst;
  const reserved: Record<string, number> = { sessions: loginBurst };
  for (const [name, part] of Object.entries(parts)) reserved[name] = Math.max(3, Math.floor(part * shared));
  return { all, reserved, others: all - sum(Object.values(reserved)) };
}

/**
 * The part of an account's quota to take away from all functions, so that together they open no more connections than
 * the cluster allows; the function that holds it runs during deployments alone.
 */
export function heldBack(quota: number, { all, reserved }: ConcurrencyPlan): number {
  const needed = sum(Object.values(reserved)) + leastUnreserved;
  if (quota < needed)
    throw new Error(`ACCOUNT_CONCURRENCY is too small: these reservations need a quota of ${needed}. Ask AWS for a higher one.`);
  return Math.max(0, quota - all);
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** The clusters of Atlas with the connections that each allows. */
const clusters = { 'M0, Flex': 500, M10: 1_500, M20: 3_000, M30: 3_000 };

/** The default pool, and the default quota of an account that has been in use for a while. */
const defaultPool = 2;
const usualQuota = 1_000;

/** The table of the documentation, in Markdown: who may run how often, with `CONNECTION_LIMIT` and without. */
export function concurrencyTable(): string {
  const names = ['sessions', ...Object.keys(parts)];
  const head = ['Cluster', '`CONNECTION_LIMIT`', ...names.map((name) => `\`${name}\``), 'others', 'together', 'without it'];
  const rows = Object.entries(clusters).map(([cluster, limit]) => {
    const { all, reserved, others } = planConcurrency(limit, defaultPool);
    const without = usualQuota * (defaultPool + 1);
    const excess = without > limit ? `${without} connections of ${limit}` : 'fits';
    return [cluster, limit, ...names.map((name) => reserved[name]), others, all, excess];
  });
  const lines = [head, ['---', ...head.slice(1).map(() => '--:')], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
