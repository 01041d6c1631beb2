import { describe, expect, it } from 'vitest';
import { bounds, type Snapshot, snapshot } from '../../../hosts/server/counters.ts';
import { render } from '../../../hosts/server/metrics.ts';
import { requestEnded } from '../../../lib/base/metrics.ts';
import manifest from '../../../package.json' with { type: 'json' };

const pushed = (count: number): Snapshot['push'] => ({
  sockets: count,
  pushes: { events: count, signal: 0, left: 0, typing: 0, read: 0, presence: 0 },
  dropped: { ephemeral: 0, events: count },
  repaired: count,
});

const one: Snapshot = {
  requests: { 'rooms GET 200': 2, 'rooms POST 503': 1 },
  refusedWrites: { disk_full: 3, too_many_requests: 1 },
  durations: { rooms: { within: bounds.map((bound) => (bound < 100 ? 1 : 3)), count: 3, sum: 150 } },
  memory: 1_000,
  delay: 10,
  push: pushed(1),
  devices: { sent: 1, later: 0, refused: 0, gone: 0 },
  file: { bytes: 4_096 },
  backup: { madeAt: 5_000, failed: 0 },
};
const other: Snapshot = {
  requests: { 'rooms GET 200': 5 },
  refusedWrites: { disk_full: 2 },
  durations: {},
  memory: 500,
  delay: 20,
  push: pushed(2),
  devices: { sent: 2, later: 5, refused: 0, gone: 0 },
  file: { damage: 'page 7', isIncomplete: true },
  backup: { failed: 2 },
};

describe('/metrics', () => {
  it('/metrics adds up the counts of all processes', () => {
    const lines = render([one, other], { database: 1_000 }).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE chat_requests_total counter',
        'chat_requests_total{function="rooms",method="GET",status="200"} 7',
        'chat_requests_total{function="rooms",method="POST",status="503"} 1',
        '# TYPE chat_request_duration_seconds histogram',
        'chat_request_duration_seconds_bucket{function="rooms",le="0.05"} 1',
        'chat_request_duration_seconds_bucket{function="rooms",le="0.1"} 3',
        'chat_request_duration_seconds_bucket{function="rooms",le="+Inf"} 3',
        'chat_request_duration_seconds_sum{function="rooms"} 0.15',
        'chat_request_duration_seconds_count{function="rooms"} 3',
        'chat_processes 2',
        'chat_memory_bytes 1500',
        'chat_event_loop_delay_seconds 0.02',
        'chat_refused_writes_total{reason="disk_full"} 5',
        'chat_refused_writes_total{reason="too_many_requests"} 1',
        `chat_build_info{version="${manifest.version}",node="${process.versions.node}"} 1`,
        'chat_database_damaged 1',
        'chat_database_incomplete 1',
        'chat_database_bytes 4096',
        'chat_disk_free_bytes{place="database"} 1000',
        'chat_database_read_only 0',
        'chat_backup_timestamp_seconds 5',
        'chat_backup_failures 2',
        'chat_sockets 3',
        'chat_pushes_total{kind="events"} 3',
        'chat_push_dropped_total{kind="events"} 3',
        'chat_push_repaired_total 3',
        'chat_device_pushes_total{outcome="sent"} 3',
        'chat_device_pushes_total{outcome="later"} 5',
      ]),
    );
  });

  it('/metrics counts as refused the writes that met a limit, a conflict or a fault', () => {
    const end = (method: string, status: number) =>
      requestEnded.publish({ function: 'test', method, status, milliseconds: 1, refusal: `test_${method}_${status}` });
    for (const status of [400, 401, 403, 404, 409, 413, 429, 430, 499, 500, 503])
      for (const method of ['GET', 'POST']) end(method, status);
    const refused = Object.keys(snapshot().refusedWrites).filter((refusal) => refusal.startsWith('test_'));
    expect(refused.toSorted()).toEqual([409, 413, 429, 500, 503].map((status) => `test_POST_${status}`));
  });

  it('/metrics is in the text format of Prometheus', () => {
    const line = /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\\\n]*",?)+\})? [\d.e+-]+|)$/;
    expect(
      render([one, other])
        .split('\n')
        .filter((text) => !line.test(text)),
    ).toEqual([]);
    expect(render([]).endsWith('\n')).toBe(true);
  });
});
