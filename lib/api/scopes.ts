/** What a token may be confined to; one without scopes may do all that its user may. */
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

/** One of them. */
export type Scope = (typeof scopes)[number];
