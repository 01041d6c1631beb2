/** The place that a cursor of a feed stands for; nothing for what is no cursor with an epoch. */
export const placeIn = (cursor: string | undefined): string | undefined => /^[0-9a-f]{15}\.(\d+)$/.exec(cursor ?? '')?.[1];
