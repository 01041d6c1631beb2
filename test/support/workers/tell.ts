import { pushMeanwhile } from '../../../hosts/server/work/push-notifications.ts';
import { runEntries } from '../jobs.ts';
import { serveParent } from './serve-parent.ts';

/** Notifies the devices of a room like a host: a server that starts, or an invoked AWS function. */
export type TellJob = { host: 'serve' | 'aws'; room: string };

serveParent(async ({ host, room }: TellJob) => {
  if (host === 'serve') pushMeanwhile({ isFirst: true });
  else await runEntries('devices', [room]);
});
