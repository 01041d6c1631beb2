import type { JsonSchema } from '../../lib/api/schema.ts';
import { clientFrames, serverFrames } from '../../lib/push/frames.ts';
import { type OpenApi, type Operation, type Parameter, type Response, resolve } from '../../lib/reference/openapi.ts';
import { shapeOf } from '../../lib/reference/shape.ts';
import { listOperations } from '../harness/example-requests.ts';

/** The types of the client, in the form that openapi-fetch reads, and those of the frames of a WebSocket. */
export function clientTypes(document: OpenApi, socket: Record<string, unknown>): string {
  const { responses } = document.components;
  const schemas = { ...document.components.schemas, ...(socket as typeof document.components.schemas) };
  const shapes = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${shapeOf(schema)};\n`);
  const errors = Object.entries(responses).map(([name, response]) => {
    const schema = Object.values(response.content ?? {})[0]?.schema ?? {};
    return `/** ${response.description} */\nexport type ${name} = ${shapeOf(schema)};\n`;
  });
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const inner = Object.entries(methods).map(([method, operation]) => operationType(document, method, operation));
    return `  '${path}': {\n${inner.join('')}  };\n`;
  });
  const keyed = listOperations(document).filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  );

  return `// Generated from docs/openapi.json by 'npm run openapi'.

${shapes.join('\n')}
${errors.join('\n')}
/** Every error that has a body; its \`title\` names its kind. */
export type ErrorBody = ${Object.keys(responses).join(' | ')};

/** What a client sends over a WebSocket, and what the service does. */
export type ClientFrame = ${frames(clientFrames)};
export type ServerFrame = ${frames(serverFrames)};

/** The operations by path and method. */
export type paths = {
${paths.join('')}};

/** The operations that a key makes safe to repeat. */
export const idempotent = [${keyed.map(({ method, path }) => `'${method} ${path}'`).join(', ')}] as const;
`;
}

const frames = (all: Record<string, JsonSchema>) =>
  Object.values(all)
    .map(({ title }) => title)
    .join(' | ');

function operationType(
  document: OpenApi,
  method: string,
  { summary, parameters = [], requestBody, responses }: Operation,
): string {
  const body = requestBody?.content['application/json']?.schema;
  const takesBytes = requestBody?.content['*/*'] !== undefined;
  const places = (['path', 'query', 'header'] as const).map((place) => {
    const those = parameters.filter((parameter) => parameter.in === place);
    return `        ${place}${those.some(({ required }) => required) ? '' : '?'}: ${parametersType(those)};\n`;
  });
  const answers = Object.entries(responses).map(([status, found]) => {
    const { value, pointer } = resolve<Response>(document, found, '');
    return `        ${status}: ${responseType(value, pointer)};\n`;
  });
  return `    /** ${summary} */
    ${method}: {
      parameters: {
${places.join('')}        cookie?: never;
      };
${body ? `      requestBody${requestBody?.required ? '' : '?'}: { content: { 'application/json': ${shapeOf(body, '      ')} } };\n` : ''}${takesBytes ? "      requestBody: { content: { '*/*': Blob } };\n" : ''}      responses: {
${answers.join('')}      };
    };
`;
}

const parametersType = (parameters: Parameter[]) =>
  parameters.length === 0
    ? 'never'
    : `{ ${parameters.map(({ name, required, schema }) => `'${name}'${required ? '' : '?'}: ${shapeOf(schema)}`).join('; ')} }`;

function responseType({ content }: Response, pointer: string): string {
  const schema = Object.values(content ?? {})[0]?.schema;
  if (!schema) return '{ headers: Record<string, unknown>; content?: never }';
  const shape = pointer.startsWith('/components/responses/') ? (pointer.split('/').at(-1) ?? '') : shapeOf(schema, '        ');
  return `{ headers: Record<string, unknown>; content: { 'application/json': ${shape} } }`;
}
