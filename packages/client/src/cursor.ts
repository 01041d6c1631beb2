/** The parts of a cursor as the service writes it; a bare `seq` or time says no epoch. */
export function readCursor(text: string): { epoch: string | undefined; at: string } {
  const [, epoch, at = text] = /^([0-9a-f]{15})\.(.*)$/.exec(text) ?? [];
  return { epoch, at };
}

/** The cursor as the service reads it. */
export const writeCursor = ({ epoch, at }: { epoch: string | undefined; at: number | undefined }): string =>
  epoch === undefined ? String(at) : `${epoch}.${at}`;
