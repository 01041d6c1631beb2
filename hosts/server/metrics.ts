import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FileState } from '../../lib/database/file-state.ts';
import manifest from '../../package.json' with { type: 'json' };
import { bounds, type Snapshot } from './counters.ts';
import { freeSpace } from './disk-space.ts';
import { counts, type PushCounts } from './push/counts.ts';

/**
 * Serves `/metrics` on a separate port, which the API's reverse proxy does not expose. Resolves to
 * the port.
 */
export async function serveMetrics(host: string, port: number, gather: () => Promise<Snapshot[]>): Promise<number> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    const text = render(await gather(), await freeSpace());
    response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // This server must not keep the process alive.
  server.unref();
  return (server.address() as AddressInfo).port;
}

/**
 * Renders the sums of all processes' counters, and the free disk space, in Prometheus' text format.
 */
export function render(snapshots: Snapshot[], disks: Record<string, number> = {}): string {
  const durations = new Map<string, { within: number[]; count: number; sum: number }>();
  for (const one of snapshots) {
    for (const [name, { within, count, sum }] of Object.entries(one.durations)) {
      const all = durations.get(name) ?? { within: bounds.map(() => 0), count: 0, sum: 0 };
      all.within = all.within.map((before, at) => before + (within[at] ?? 0));
      durations.set(name, { within: all.within, count: all.count + count, sum: all.sum + sum });
    }
  }
  return [
    ...metric('chat_requests_total', 'counter', 'Requests, by function, method and status.'),
    ...sumsOf(snapshots.map(({ requests }) => requests)).map(([key, count]) => {
      const [name, method, status] = key.split(' ');
      return `chat_requests_total{function="${name}",method="${method}",status="${status}"} ${count}`;
    }),
    ...metric('chat_request_duration_seconds', 'histogram', 'How long requests took.'),
    ...[...durations].flatMap(([name, { within, count, sum }]) => [
      ...within.map((within, at) => bucket(name, String((bounds[at] ?? 0) / 1_000), within)),
      bucket(name, '+Inf', count),
      `chat_request_duration_seconds_sum{function="${name}"} ${sum / 1_000}`,
      `chat_request_duration_seconds_count{function="${name}"} ${count}`,
    ]),
    ...metric('chat_refused_writes_total', 'counter', 'Requests to change something that were refused, by reason.'),
    ...sumsOf(snapshots.map(({ refusedWrites }) => refusedWrites)).map(
      ([reason, count]) => `chat_refused_writes_total{reason="${reason}"} ${count}`,
    ),
    ...metric('chat_build_info', 'gauge', 'The version of the service, and of Node.js; always 1.'),
    `chat_build_info{version="${manifest.version}",node="${process.versions.node}"} 1`,
    ...metric('chat_processes', 'gauge', 'Processes that serve requests.'),
    `chat_processes ${snapshots.length}`,
    ...metric('chat_memory_bytes', 'gauge', 'Memory that these processes hold.'),
    `chat_memory_bytes ${snapshots.reduce((sum, { memory }) => sum + memory, 0)}`,
    ...metric('chat_event_loop_delay_seconds', 'gauge', 'The p99 of the event loop delay, of the slowest of these processes.'),
    `chat_event_loop_delay_seconds ${Math.max(0, ...snapshots.map(({ delay }) => delay)) / 1_000}`,
    ...metric('chat_database_damaged', 'gauge', 'Whether the file of the embedded database is damaged.'),
    `chat_database_damaged ${Number(snapshots.some(({ file }) => file.damage))}`,
    ...metric(
      'chat_database_incomplete',
      'gauge',
      'Whether acknowledged writes were lost with the end of the log of the embedded database, until an operator acknowledges that.',
    ),
    `chat_database_incomplete ${Number(snapshots.some(({ file }) => file.isIncomplete))}`,
    ...metric(
      'chat_database_read_only',
      'gauge',
      'Whether nothing can be written to the embedded database, because its disk is full or failed.',
    ),
    `chat_database_read_only ${Number(snapshots.some(({ file }) => file.readOnly))}`,
    ...sizeMetrics(snapshots.map(({ file }) => file)),
    ...metric('chat_disk_free_bytes', 'gauge', 'Free space on the disk of a directory that the service writes to.'),
    ...Object.entries(disks).map(([place, free]) => `chat_disk_free_bytes{place="${place}"} ${free}`),
    ...metric(
      'chat_backup_timestamp_seconds',
      'gauge',
      'When the last scheduled backup since the start was complete; 0 before the first.',
    ),
    `chat_backup_timestamp_seconds ${Math.max(0, ...snapshots.map(({ backup }) => backup.madeAt ?? 0)) / 1_000}`,
    ...metric('chat_backup_failures', 'gauge', 'Scheduled backups that failed since the last one that was complete.'),
    `chat_backup_failures ${snapshots.reduce((sum, { backup }) => sum + backup.failed, 0)}`,
    ...pushMetrics(snapshots.map(({ push }) => push)),
    ...metric('chat_device_pushes_total', 'counter', 'Pushes to devices whose page is closed, by result.'),
    ...(['sent', 'later', 'refused', 'gone'] as const).map(
      (kind) => `chat_device_pushes_total{outcome="${kind}"} ${snapshots.reduce((sum, { devices }) => sum + devices[kind], 0)}`,
    ),
    '',
  ].join('\n');
}

/** The sums of several processes' counters, by key. */
function sumsOf(counts: Record<string, number>[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const one of counts) for (const [key, count] of Object.entries(one)) sums.set(key, (sums.get(key) ?? 0) + count);
  return [...sums];
}

function pushMetrics(counted: PushCounts[]): string[] {
  const sum = (of: (counts: PushCounts) => number) => counted.reduce((total, counts) => total + of(counts), 0);
  const byLabel = <Group extends 'pushes' | 'dropped'>(name: string, label: string, group: Group) =>
    Object.keys(counts[group]).map(
      (key) => `${name}{${label}="${key}"} ${sum((one) => one[group][key as keyof PushCounts[Group]] as number)}`,
    );
  return [
    ...metric('chat_sockets', 'gauge', 'WebSockets that are open.'),
    `chat_sockets ${sum(({ sockets }) => sockets)}`,
    ...metric('chat_pushes_total', 'counter', 'Frames that were not answers to a request, by kind.'),
    ...byLabel('chat_pushes_total', 'kind', 'pushes'),
    ...metric('chat_push_dropped_total', 'counter', 'Frames that were dropped because clients read too slowly.'),
    ...byLabel('chat_push_dropped_total', 'kind', 'dropped'),
    ...metric('chat_push_repaired_total', 'counter', 'Events that were found although their notice was lost.'),
    `chat_push_repaired_total ${sum(({ repaired }) => repaired)}`,
  ];
}

/** The size of the embedded database; empty for another database. */
function sizeMetrics(files: FileState[]): string[] {
  const bytes = Math.max(0, ...files.map(({ bytes }) => bytes ?? 0));
  if (bytes === 0) return [];
  return [
    ...metric('chat_database_bytes', 'gauge', 'The size of the embedded database, with its log.'),
    `chat_database_bytes ${bytes}`,
  ];
}

const metric = (name: string, type: string, help: string) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];

const bucket = (name: string, bound: string, count: number) =>
  `chat_request_duration_seconds_bucket{function="${name}",le="${bound}"} ${count}`;
