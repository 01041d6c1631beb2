/** The scopes that a token may be confined to. A token without scopes may do all that its user may. */
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
