import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Call, inProcess } from './transports.ts';

/** Both revisions of the protocol, by name. */
export const revisions = ['2026-07-28', '2025-11-25'] as const;

type Revision = (typeof revisions)[number];

/** The result of a tool. */
// biome-ignore lint/suspicious/noExplicitAny: the client checks the schema of each tool
export type ToolReply = { isError: boolean; text: string; content: any[]; structured: any };

/** An agent: the official client, connected with a token. */
export type Agent = {
  client: Client;
  use: (tool: string, args?: Record<string, unknown>) => Promise<ToolReply>;
};

/** Connects the official client as a token, by a transport of the tests. */
export async function anAgent(token: string, revision: Revision = '2026-07-28', call: Call = inProcess): Promise<Agent> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' } },
  );
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/api/mcp'), {
    fetch: fetchBy(call),
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return {
    client,
    use: async (name, args = {}) => {
      const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args });
      const [first] = content as { text: string }[];
      return { isError, text: first?.text ?? '', content: content as unknown[], structured: structuredContent };
    },
  };
}

/** `fetch` by a transport of the tests, which compares each reply with the contract. */
const fetchBy =
  (call: Call) =>
  async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = typeof init.body === 'string' ? init.body : undefined;
    const reply = await call(init.method ?? 'GET', new URL(address).pathname, { headers, body });
    const { 'content-encoding': _, 'content-length': __, ...received } = reply.headers;
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    return new Response(text === '' ? null : text, { status: reply.status, headers: received });
  };
