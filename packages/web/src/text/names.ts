/** A name whose characters can't turn the direction of what stands around it. */
export const safeName = (name: string): string => name.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
