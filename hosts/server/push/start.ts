import type { Server } from 'node:http';
import { limits } from '../../../lib/api/limits.ts';
import { onNotice } from '../../../lib/notices.ts';
import { Hub } from './hub.ts';
import type { Relay } from './relay.ts';
import { sweepEvery } from './sweep.ts';
import { openSockets } from './upgrade.ts';

type Options = Omit<Parameters<typeof openSockets>[2], 'time'> & { relay?: Relay; sweep?: number };

/** The sweep that finds what is lost takes so many milliseconds at most to come. */
const sweepTime = 25_000;

/** Starts to push what happens over the WebSockets of a server; returns what ends them all. */
export function startPush(server: Server, { relay, sweep = sweepTime, ...door }: Options): { end: () => void } {
  const hub = new Hub(async () => relay?.follow());
  openSockets(server, hub, { ...door, time: limits.requestTime });
  const stops = [
    onNotice((notice) => {
      hub.notice(notice);
      relay?.send(notice);
    }),
    relay?.onNotice((notice) => hub.notice(notice)),
    sweepEvery(sweep, hub),
  ];
  const clock = setInterval(() => hub.tick(), 1_000).unref();

  return {
    end: () => {
      hub.drain();
      for (const stop of stops) stop?.();
      server.once('close', () => clearInterval(clock));
    },
  };
}
