import type { Server } from 'node:http';
import { limits } from '../../../lib/api/limits.ts';
import { onNotice, type ServerNotice } from '../../../lib/notices/notices.ts';
import { deliver } from './deliver.ts';
import { Hub } from './hub.ts';
import { type Others, tellOthers } from './others.ts';
import { Presence, type PresenceTimes } from './presence.ts';
import type { Relay } from './relay.ts';
import { sweepEvery } from './sweep.ts';
import { openSockets } from './upgrade.ts';

type Options = Omit<Parameters<typeof openSockets>[2], 'time'> & {
  relay?: Relay;
  /** The id of this server, if other servers may use the same database. */
  server?: string | undefined;
  sweep?: number;
  presence?: boolean;
  presenceTimes?: Partial<PresenceTimes>;
};

/**
 * Milliseconds in which a server ends its connections: gradually if clients can move to other
 * servers, and faster if they must wait for a restart.
 */
const handOverTime = 5_000;
const restartTime = 2_000;

/** Interval of the sweep that finds lost notices, in milliseconds. */
const sweepTime = 25_000;

/** The push service of a server. */
type Push = {
  /**
   * Ends the connections. Returns the milliseconds that this takes, which requests may use as well.
   */
  end: () => number;
  /** Stops the background work, after all connections have ended. */
  stop: () => Promise<void>;
};

/**
 * Starts to push events over the WebSockets of a server. Resolves when other servers know of this
 * one.
 */
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
      deliver(hub, notice);
      send(notice);
    }),
    relay?.onNotice((notice) => deliver(hub, notice)),
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
