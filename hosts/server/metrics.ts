import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bounds, type Snapshot } from './counters.ts';

/** Serves `/metrics` on a port of its own, away from the API's reverse proxy; resolves to the port. */
export async function serveMetrics(host: string, port: number, gather: () => Promise<Snapshot[]>): Promise<number> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(render(await gather()));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // The API keeps the process alive, not this.
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** The sums of what the processes have counted, in Prometheus' text format. */
export function render(snapshots: Snapshot[]): string {
  const requests = new Map<string, number>();
  const durations = new Map<string, { within: number[]; count: number; sum: number }>();
  for (const one of snapshots) {
    for (const [key, count] of Object.entries(one.requests)) requests.set(key, (requests.get(key) ?? 0) + count);
    for (const [name, { within, count, sum }] of Object.entries(one.durations)) {
      const all = durations.get(name) ?? { within: bounds.map(() => 0), count: 0, sum: 0 };
      all.within = all.within.map((before, at) => before + (within[at] ?? 0));
      durations.set(name, { within: all.within, count: all.count + count, sum: all.sum + sum });
    }
  }
  return [
    ...metric('chat_requests_total', 'counter', 'Requests, by function, method and status.'),
    ...[...requests].map(([key, count]) => {
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
    ...metric('chat_processes', 'gauge', 'Processes that serve requests.'),
    `chat_processes ${snapshots.length}`,
    ...metric('chat_memory_bytes', 'gauge', 'Memory that these processes hold.'),
    `chat_memory_bytes ${snapshots.reduce((sum, { memory }) => sum + memory, 0)}`,
    ...metric('chat_event_loop_delay_seconds', 'gauge', 'The p99 of the event loop delay, of the slowest of these processes.'),
    `chat_event_loop_delay_seconds ${Math.max(0, ...snapshots.map(({ delay }) => delay)) / 1_000}`,
    '',
  ].join('\n');
}

const metric = (name: string, type: string, help: string) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];

const bucket = (name: string, bound: string, count: number) =>
  `chat_request_duration_seconds_bucket{function="${name}",le="${bound}"} ${count}`;
