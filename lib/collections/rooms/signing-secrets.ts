/**
 * The secret that signs outgoing requests. The ones that it has replaced also sign, until a time.
 */
export type SigningSecret = { secret: string; retired?: { secret: string; until: Date }[] };
