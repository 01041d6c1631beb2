import { readCursor } from 'chat-service-client/cursor';

let known: string | undefined;

/**
 * The epoch of the service as it was told last: in another one, the same number is another place.
 */
export const knownEpoch = (): string | undefined => known;

/**
 * Learns the epoch from the headers of a list; returns whether it was another before: the service
 * was restored from a backup.
 */
export function learnEpoch(headers: Headers): boolean {
  const { epoch } = readCursor(headers.get('X-Next-Cursor') ?? '');
  const isAnother = known !== undefined && known !== epoch;
  known = epoch;
  return isAnother;
}
