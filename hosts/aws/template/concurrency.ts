/** The setting for the reserved concurrency of a function. */
export const concurrencySetting = (name: string) => `CONCURRENCY_${name.toUpperCase().replaceAll('-', '_')}`;

/** The burst limit of the gateway for routes that hash a password. */
export const loginBurst = 10;

/** Busy functions and their shares of the reserved concurrency. */
const parts = { messages: 0.35, events: 0.3, members: 0.15, socket: 0.15, push: 0.05 };

/** The concurrency of an account that AWS does not allow to reserve. */
const leastUnreserved = 100;

/**
 * The share of connections for other uses: the command line, backups, and the previous version
 * during a deployment.
 */
const spare = 0.2;

/** The concurrency of the functions. */
export type ConcurrencyPlan = {
  /** The limit for all functions together, so that each can open its connections. */
  all: number;
  /** Reserved concurrency by function. It is both guaranteed and a limit. */
  reserved: Record<string, number>;
  /** The limit for all other functions together, if the account's quota is `all`. */
  others: number;
};

/**
 * Divides the connections of a cluster among the functions. Each running function needs its pool
 * and one monitoring connection.
 */
export function planConcurrency(connectionLimit: number, poolSize: number): ConcurrencyPlan {
  const all = Math.floor(((1 - spare) * connectionLimit) / (poolSize + 1));
  const budget = Math.min(Math.floor(0.6 * all), all - leastUnreserved);
  if (budget < 2 * loginBurst)
    throw new Error(
      `CONNECTION_LIMIT is too small: ${connectionLimit} connections are enough for ${all} functions, and AWS keeps ${leastUnreserved} of these unreserved.`,
    );
  const shared = budget - loginBurst;
  const reserved: Record<string, number> = { sessions: loginBurst };
  for (const [name, part] of Object.entries(parts)) reserved[name] = Math.max(3, Math.floor(part * shared));
  return { all, reserved, others: all - sum(Object.values(reserved)) };
}

/**
 * The concurrency to withhold from an account's quota, so that all functions together stay within
 * the connection limit of the cluster. It is reserved for a function that runs only during
 * deployments.
 */
export function heldBack(quota: number, { all, reserved }: ConcurrencyPlan): number {
  const needed = sum(Object.values(reserved)) + leastUnreserved;
  if (quota < needed)
    throw new Error(`ACCOUNT_CONCURRENCY is too small: these reservations need a quota of ${needed}. Ask AWS for a higher one.`);
  return Math.max(0, quota - all);
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** Atlas clusters and their connection limits. */
const clusters = { 'M0, Flex': 500, M10: 1_500, M20: 3_000, M30: 3_000 };

/** The default pool size, and the usual quota of an established account. */
const defaultPool = 2;
const usualQuota = 1_000;

/**
 * A Markdown table for the docs: the concurrency of the functions with and without
 * `CONNECTION_LIMIT`.
 */
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
