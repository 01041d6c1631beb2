import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../../lib/api/schema.ts';
import { clientFrames, serverFrames } from '../../lib/push/frames.ts';
import { type OpenApi, type Parameter, type Response, resolve } from '../../lib/reference/openapi.ts';
import { shapeOf } from '../../lib/reference/shape.ts';
import { listOperations } from '../harness/example-requests.ts';

/** Generates the types of the client: objects, errors, operations and WebSocket frames. */
export function clientTypes(document: OpenApi, socket: Record<string, unknown>): string {
  const { responses } = document.components;
  const schemas = { ...document.components.schemas, ...(socket as typeof document.components.schemas) };
  const shapes = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${extendedShape(schema, schemas)};\n`);
  const errors = Object.entries(responses).map(
    ([name, response]) => `/** ${response.description} */\nexport type ${name} = ${errorShape(schemaOf(response))};\n`,
  );
  const operations = listOperations(document).map((operation) => operationType(document, operation));
  const keyed = listOperations(document).filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  );

  return `// Generated from docs/openapi.json by 'npm run openapi'.

${shapes.join('\n')}
${errorType(Object.values(responses).map(schemaOf)[0] ?? {})}

${errors.join('\n')}
/** Every error that has a body; its \`title\` names its kind. */
export type ErrorBody = ${Object.keys(responses).join(' | ')};

/** What a client sends over a WebSocket, and what the service does. */
export type ClientFrame = ${frames(clientFrames)};
export type ServerFrame = ${frames(serverFrames)};

/** What each operation takes, its answer (\`data\`), and its errors. */
export type Operations = {
${operations.join('')}};

/** The operations that a key makes safe to repeat. */
export const idempotent = [${keyed.map(({ method, path }) => `'${method} ${path}'`).join(', ')}] as const;
`;
}

type ObjectSchema = JsonSchema & { properties?: Record<string, JsonSchema>; required?: string[] };

/** The fewest fields that a type takes from another one: fewer may be equal by chance. */
const fewestShared = 6;

/**
 * A schema as a type. If it has all fields of another one, it extends it: `Invitation & { code:
 * string }`.
 */
function extendedShape(schema: ObjectSchema, schemas: Record<string, ObjectSchema>): string {
  const bases = Object.entries(schemas).filter(([, base]) => sizeOf(base) < sizeOf(schema) && hasFieldsOf(schema, base));
  const [largest] = bases.toSorted(([, one], [, other]) => sizeOf(other) - sizeOf(one));
  if (!largest || sizeOf(largest[1]) < fewestShared) return shapeOf(schema);
  const [name, { properties = {} }] = largest;
  return `${name} & ${shapeOf(withoutFields(schema, properties))}`;
}

const sizeOf = ({ properties = {} }: ObjectSchema): number => Object.keys(properties).length;

const hasFieldsOf = ({ properties = {}, required = [] }: ObjectSchema, base: ObjectSchema): boolean =>
  Object.entries(base.properties ?? {}).every(
    ([name, field]) => isDeepStrictEqual(properties[name], field) && required.includes(name) === base.required?.includes(name),
  );

const withoutFields = ({ properties = {}, ...schema }: ObjectSchema, fields: object): ObjectSchema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !Object.hasOwn(fields, name))),
});

const schemaOf = ({ content }: Response): ObjectSchema => Object.values(content ?? {})[0]?.schema ?? {};

/** The type of all errors, with the descriptions of one. */
function errorType({ properties: { title, description, code } = {} }: ObjectSchema): string {
  return `/** The body of an error. */
type ErrorOf<Title extends string, Code extends string> = {
  /** ${title?.description} */
  title: Title;
  /** ${description?.description} */
  description: string;
  /** ${code?.description} */
  code?: Code;
};`;
}

/** The shape of an error: its title and codes, and what few errors have besides. */
function errorShape(schema: ObjectSchema): string {
  const { title = {}, code = {}, description: _, ...further } = schema.properties ?? {};
  const shape = `ErrorOf<${shapeOf(title)}, ${shapeOf(code)}>`;
  return Object.keys(further).length === 0 ? shape : `${shape} & ${shapeOf({ ...schema, properties: further })}`;
}

const frames = (all: Record<string, JsonSchema>) =>
  Object.values(all)
    .map(({ title }) => title)
    .join(' | ');

function operationType(document: OpenApi, { method, path, summary, parameters = [], requestBody, responses }: ListedOperation) {
  const json = requestBody?.content['application/json']?.schema;
  const body = json ? shapeOf(json, '    ') : requestBody && 'Blob';
  const places = (['path', 'query', 'header'] as const).flatMap((place) => {
    const those = parameters.filter((parameter) => parameter.in === place);
    return those.length === 0
      ? []
      : [
          field(
            place,
            parametersType(those),
            those.some(({ required }) => required),
          ),
        ];
  });
  const answers = Object.entries(responses).map(([status, found]) => {
    const { value, pointer } = resolve<Response>(document, found, '');
    return { isSuccess: status.startsWith('2'), shape: responseType(value, pointer) };
  });
  const shapes = (isSuccess: boolean) =>
    [...new Set(answers.filter((answer) => answer.isSuccess === isSuccess).flatMap(({ shape }) => shape))].join(' | ');
  return `  /** ${summary} */
  '${method} ${path}': {
${places.join('')}${body ? field('body', body, requestBody?.required) : ''}${field('data', shapes(true) || 'undefined')}${field('error', shapes(false) || 'never')}  };
`;
}

type ListedOperation = ReturnType<typeof listOperations>[number];

const field = (name: string, type: string, isRequired = true) => `    ${name}${isRequired ? '' : '?'}: ${type};\n`;

const parametersType = (parameters: Parameter[]) =>
  `{ ${parameters.map(({ name, required, schema }) => `'${name}'${required ? '' : '?'}: ${shapeOf(schema)}`).join('; ')} }`;

/** The shapes of a response; empty if it has an empty body. */
function responseType({ content }: Response, pointer: string): string[] {
  const schema = Object.values(content ?? {})[0]?.schema;
  if (!schema) return [];
  return [pointer.startsWith('/components/responses/') ? (pointer.split('/').at(-1) ?? '') : shapeOf(schema, '    ')];
}
