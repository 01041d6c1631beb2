import type { Server } from 'node:http';
import { limits } from '../../../lib/api/limits.ts';
import { onNotice, type ServerNotice } from '../../../lib/notices/notices.ts';
import { Hub } from './hub.ts';
import { type Others, tellOthers } from './others.ts';
import { Presence, type PresenceTimes } from './presence.ts';
import type { Relay } from './relay.ts';
import { sweepEvery } from './sweep.ts';
import { openSockets } from './upgrade.ts';

type Options = Omit<Parameters<typeof openSockets>[2], 'time'> & {
  relay?: Relay;
  /** The server that this process is one of, if the database is one that others may use as well. */
  server?: string | undefined;
  sweep?: number;
  presence?: boolean;
  presenceTimes?: Partial<PresenceTimes>;
};

/** In how many milliseconds a server ends whose clients can go to others, one after the other; and one whose clients wait until it is back. */
const handOverTime = 5_000;
const restartTime = 2_000;

/** The sweep that finds what is lost takes so many milliseconds at most to come. */
const sweepTime = 25_000;

/** What is pushed over the WebSockets of a server. */
type Push = {
  /** Ends the connections; returns within how many milliseconds, which requests may take as well. */
  end: () => number;
  /** Stops when there are no others. */
  stop: () => Promise<void>;
};

/** Starts to push what happens over the WebSockets of a server; resolves when other servers know that this one is there. */
export async function startPush(
  http: Server,
  { relay, server, sweep = sweepTime, presence = false, presenceTimes, ...door }: Options,
): Promise<Push> {
  const hub = new Hub(async () => relay?.follow());
  openSockets(http, hub, { ...door, time: limits.requestTime });
  const others: Others | undefined = server === undefined ? undefined : await tellOthers(hub, server);
  const send = (notice: ServerNotice) => {
    relay?.send(notice);
    others?.send(notice);
  };
  if (presence) hub.presence = new Presence(hub, presenceTimes, relay || others ? send : undefined);
  const stops = [
    onNotice((notice) => {
      hub.notice(notice);
      send(notice);
    }),
    relay?.onNotice((notice) => hub.notice(notice)),
    sweepEvery(sweep, hub).end,
    hub.presence?.start(),
  ];
  const clock = setInterval(() => hub.tick(), 1_000).unref();

  return {
    end: () => {
      if (others?.areThere()) {
        hub.handOver(handOverTime);
        return handOverTime;
      }
      hub.drain();
      return restartTime;
    },
    stop: async () => {
      clearInterval(clock);
      for (const stop of stops) stop?.();
      await others?.end();
    },
  };
}
