/*
 * An account from an import is unclaimed until somebody gets access to it: by a password, a token
 * or an identity at a provider. The write that gives access also removes the mark.
 */

/** The `$unset` of an update that marks an account as claimed. */
export const claimed = { 'imported.is_unclaimed': '' } as const;
