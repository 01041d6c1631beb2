import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { mcpHeaders, mcpRefusals, requireMcp, serveMcp } from '../lib/mcp/serve.ts';
import { challengeOf } from '../lib/oauth/discovery.ts';

/** `/api/mcp`: the Model Context Protocol (MCP), for agents. */
export const handler = endpoint(
  {
    POST: operation({
      summary: 'Call the service as an agent, by the Model Context Protocol (2026-07-28, or 2025-11-25 without sessions)',
      access: 'user',
      permit: requireMcp,
      isRpc: true,
      status: 200,
      refusals: mcpRefusals,
      run: ({ raw, caller, request }) => serveMcp({ bytes: raw(), headers: request.headers, caller, requestId: request.id }),
    }),
  },
  { requestHeaders: mcpHeaders, challenge: challengeOf },
);
