/** The scopes that can restrict a token. A token without scopes has all rights of its user. */
export const scopes = [
  'rooms:read',
  'rooms:write',
  'members:read',
  'members:write',
  'messages:read',
  'messages:write',
  'account',
  'admin',
] as const;

/** The name of a scope. */
export type Scope = (typeof scopes)[number];
