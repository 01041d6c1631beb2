/**
 * The parts of a cursor in the service's format. A bare `seq` or time, as from earlier versions,
 * does not have an epoch.
 */
export function readCursor(text: string): { epoch: string | undefined; at: string } {
  const [, epoch, at = text] = /^([0-9a-f]{15})\.(.*)$/.exec(text) ?? [];
  return { epoch, at };
}

/** Formats a cursor for the service. */
export const writeCursor = ({ epoch, at }: { epoch: string | undefined; at: number | undefined }): string =>
  epoch === undefined ? String(at) : `${epoch}.${at}`;
