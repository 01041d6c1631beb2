/** A name whose characters cannot change the direction of the surrounding text. */
export const safeName = (name: string): string => name.replaceAll(/\p{Bidi_Control}/gu, '\ufffd');

/** The names that address everyone in a room: all members, or the connected ones. */
export const forEveryone = ['room', 'here'] as const;
