import { pushMeanwhile } from '../../../hosts/server/work/push-notifications.ts';
import { runEntries } from '../jobs.ts';
import { serveParent } from './serve-parent.ts';

/** Tells the devices of a room as a host does: the server of what it finds when it starts, or the function of AWS of what it is invoked for. */
export type TellJob = { host: 'serve' | 'aws'; room: string };

serveParent(async ({ host, room }: TellJob) => {
  if (host === 'serve') pushMeanwhile({ isFirst: true });
  else await runEntries('devices', [room]);
});
