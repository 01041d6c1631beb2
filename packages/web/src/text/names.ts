/** A name whose characters can't turn the direction of what stands around it. */
export const safeName = (name: string): string => name.replaceAll(/\p{Bidi_Control}/gu, '\ufffd');

/** The names that address everyone in a room: all members, or the connected ones. */
export const forEveryone = ['room', 'here'] as const;
