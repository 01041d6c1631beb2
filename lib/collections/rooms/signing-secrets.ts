/** The secret that signs what is sent, as it is, and those that it has replaced: they sign as well, until a time. */
export type SigningSecret = { secret: string; retired?: { secret: string; until: Date }[] };
