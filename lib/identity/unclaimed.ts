/*
 * An account that an import has made is nobody's until somebody gets a way to use it: a password, a token or a person at
 * an identity provider. Each of these takes this mark away, by the write that gives it.
 */

/** The part of an update by which an account stops to be one that nobody has used. */
export const claimed = { 'imported.is_unclaimed': '' } as const;
