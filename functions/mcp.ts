import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { mcpHeaders, mcpRefusals, requireMcp } from '../lib/mcp/access.ts';
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
      run: async ({ raw, caller, request }) => {
        // The library of the protocol takes a tenth of the start time of a server without agents.
        const { serveMcp } = await import('../lib/mcp/serve.ts');
        return serveMcp({ bytes: raw(), headers: request.headers, caller, requestId: request.id });
      },
    }),
  },
  { requestHeaders: mcpHeaders, challenge: challengeOf },
);
