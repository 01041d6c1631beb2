/** The place of a feed's cursor; undefined for a cursor without an epoch. */
export const placeIn = (cursor: string | undefined): string | undefined => /^[0-9a-f]{15}\.(\d+)$/.exec(cursor ?? '')?.[1];
