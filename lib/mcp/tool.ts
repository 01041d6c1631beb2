import type { JSONValue } from '@modelcontextprotocol/server';
import { type Parameters, readParameters, requireKnown, type Values } from '../api/parameters.ts';
import type { Schema } from '../api/schema.ts';
import type { Scope } from '../api/scopes.ts';
import type { Caller } from '../identity/caller.ts';

/** A picture or a sound in the result of a tool. */
export type Block = { type: 'image' | 'audio'; data: string; mimeType: string };

/** The result of a tool: for programs, and as a compact text for the model. */
export type ToolResult<Shown> = { structured: Shown; text: string; blocks?: Block[] };

/** The effect of a tool on the service, for the annotations of the protocol. */
export type Effect = {
  /** It changes nothing. */
  isReadOnly: boolean;
  /** It removes or replaces something. */
  isDestructive: boolean;
  /** A second call with the same arguments changes nothing more. */
  isIdempotent: boolean;
};

/** One tool: its callers, its input, and its work. */
export type Tool<Input extends Parameters = Parameters, Shown extends object = object> = {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /**
   * The scopes that a token with scopes needs: those of the operations of the API that do the same.
   */
  scopes: readonly Scope[];
  input: Input;
  output: Schema<Shown>;
  run: (input: Values<Input>, caller: Caller) => Promise<ToolResult<NoInfer<Shown>>>;
};

// biome-ignore lint/suspicious/noExplicitAny: each tool checks its own parameters before `run`
export type AnyTool = Tool<any, any>;

/** Declares a tool; from here the types of its parameters reach `run`. */
export const tool = <Input extends Parameters, Shown extends object>(definition: Tool<Input, Shown>): Tool<Input, Shown> =>
  definition;

export const reads: Effect = { isReadOnly: true, isDestructive: false, isIdempotent: true };

/** A tool as a client lists it. */
export const describeTool = ({ name, title, description, effect, input, output }: AnyTool) => ({
  name,
  title,
  description,
  inputSchema: inputSchema(input) as WireSchema,
  outputSchema: output as WireSchema,
  annotations: {
    title,
    readOnlyHint: effect.isReadOnly,
    destructiveHint: effect.isDestructive,
    idempotentHint: effect.isIdempotent,
    openWorldHint: false,
  },
});

/** A schema as the types of the protocol's library have it. */
type WireSchema = { type: 'object'; [key: string]: JSONValue };

const inputSchema = (input: Parameters) => ({
  type: 'object' as const,
  properties: Object.fromEntries(
    Object.entries(input).map(([name, { schema, about, rule, fallback }]) => [
      name,
      {
        ...schema,
        description: about ?? `It must ${rule}.`,
        ...(fallback !== undefined && { default: fallback }),
      },
    ]),
  ),
  required: Object.entries(input).flatMap(([name, { optional }]) => (optional ? [] : [name])),
  additionalProperties: false,
});

/**
 * Reads the arguments of a call: 400 for the first that is not as it must be, or that the tool does
 * not have.
 */
export function readArguments<Input extends Parameters>(input: Input, sent: Record<string, unknown>): Values<Input> {
  requireKnown(input, sent);
  return readParameters(input, sent);
}
