import { HttpError, permissionDenied, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { whyUnavailable } from '../database/failures.ts';
import { requirePreparation } from '../database/preparation.ts';
import { toHttpError } from '../http/middleware/errors.ts';
import { type Caller, requireScope } from '../identity/caller.ts';
import { countWrite } from '../identity/write-rate.ts';
import { config } from '../settings/config.ts';
import { type AnyTool, type Block, readArguments } from './tool.ts';
import { tools } from './tools/all.ts';

/** The caller of a tool, and the id of the request, which names a failure in the log. */
export type ToolCaller = { caller: Caller; requestId: string };

/** The result of a call as the protocol has it. */
type CallResult = {
  content: ({ type: 'text'; text: string } | Block)[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

const readOnly: Refusal = () => permissionDenied('mcp_read_only', 'Agents may only read here (MCP=read).');

/** True if a caller may use a tool; other tools are not listed. */
export function mayUse({ effect, scopes }: AnyTool, { token }: Caller): boolean {
  if (config.mcp === 'read' && !effect.isReadOnly) return false;
  return token.scopes.length === 0 || scopes.every((scope) => token.scopes.includes(scope));
}

/** The tool of a name; undefined for a name that no tool has. */
export const findTool = (name: string): AnyTool | undefined => tools.find((one) => one.name === name);

/** The tools that a caller may use. */
export const toolsFor = (caller: Caller): AnyTool[] => tools.filter((one) => mayUse(one, caller));

/**
 * Calls a tool. The checks are those of a request to the API: the scopes of the token, the rate of
 * the account, the parameters. A refusal is a result for the model, which can act upon it.
 */
export async function callTool(
  { name, effect, scopes, input, run }: AnyTool,
  sent: Record<string, unknown>,
  { caller, requestId }: ToolCaller,
): Promise<CallResult> {
  const outcome = await outcomeOf(async () => {
    if (config.mcp === 'read' && !effect.isReadOnly) throw readOnly();
    for (const scope of scopes) requireScope(caller, scope);
    const values = readArguments(input, sent);
    if (!effect.isReadOnly) {
      await countWrite(caller.user);
      await requirePreparation();
    }
    return run(values, caller);
  }, requestId);
  const isRefused = outcome instanceof HttpError;
  log('info', 'tool', {
    request_id: requestId,
    tool: name,
    status: isRefused ? outcome.status : 200,
    user: caller.user._id.toHexString(),
  });
  return isRefused ? refused(outcome) : succeeded(outcome);
}

const outcomeOf = async <T>(work: () => Promise<T>, requestId: string): Promise<T | HttpError> => {
  try {
    return await work();
  } catch (error) {
    return toHttpError(error, requestId, whyUnavailable);
  }
};

const succeeded = ({ structured, text, blocks = [] }: Awaited<ReturnType<AnyTool['run']>>): CallResult => ({
  content: [{ type: 'text', text }, ...blocks],
  structuredContent: structured,
});

/** A refusal as a text: its code, its sentence, and when a retry makes sense. */
function refused({ status, body, message, headers }: HttpError): CallResult {
  const retry = headers['Retry-After'];
  const text = `${body?.code ?? status}: ${message}${retry === undefined ? '' : ` Try again after ${retry} s.`}`;
  return { content: [{ type: 'text', text }], isError: true };
}
