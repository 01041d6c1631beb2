import { permissionDenied, type Refusal } from '../base/errors.ts';
import { isAllowedOrigin } from '../http/middleware/cors.ts';
import { config } from '../settings/config.ts';

const mcpOff: Refusal = () => permissionDenied('mcp_off', 'Agents cannot use this service (MCP=off).');
const foreignOrigin: Refusal = () =>
  permissionDenied('foreign_origin', 'Only pages of PUBLIC_URL and of CORS_ORIGINS may call this path.');
export const mcpRefusals = [mcpOff, foreignOrigin];

/** The headers of the protocol that a client in a browser sends. */
export const mcpHeaders = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id', 'Last-Event-ID'];

/** Refuses, with 403, all requests where agents are turned off. */
export function requireMcp(): void {
  if (config.mcp === 'off') throw mcpOff();
}

/**
 * Refuses, with 403, pages of unknown origins, as the protocol demands against DNS rebinding.
 * Clients outside a browser send no `Origin`.
 */
export function requireKnownOrigin(origin: string | undefined): void {
  // `Host` says nothing here: a page that rebinds its name sends that name in both headers.
  if (origin === undefined || isAllowedOrigin(origin) || origin === URL.parse(config.publicUrl)?.origin) return;
  throw foreignOrigin();
}
