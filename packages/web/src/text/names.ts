/** A name whose characters can't turn the direction of what stands around it. */
export const safeName = (name: string): string => name.replaceAll(/\p{Bidi_Control}/gu, '\ufffd');
