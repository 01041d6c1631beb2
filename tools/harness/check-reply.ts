import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { escapePointer, type Header, type OpenApi, type Response, type Responses, resolve } from '../../lib/reference/openapi.ts';
import type { Reply } from './transports.ts';

/** The operation of a reply, and the deviations of the reply from its declaration. */
type CheckedReply = { operation: string; faults: string[] };

/**
 * Returns a function that compares replies with an OpenAPI document. An undeclared status, header
 * or field is a fault. With `allowHeader`, undeclared headers are reported to it instead.
 */
export function replyChecker(
  document: OpenApi,
  allowHeader?: (name: string) => void,
): (method: string, path: string, reply: Reply) => CheckedReply {
  // Skips validation of the schemas, because each test process compiles them. Another test
  // validates the document.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  const find = operationFinder(document);

  const schemaAt = (pointer: string): ValidateFunction =>
    ajv.getSchema(`contract#${encodeURI(pointer)}`) ?? ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
  const mismatch = (pointer: string, value: unknown, what: string) => {
    const validate = schemaAt(pointer);
    return validate(value) ? [] : [`${what} ${ajv.errorsText(validate.errors, { dataVar: '' })}`];
  };

  function checkHeaders(response: Response, at: string, sent: Record<string, string>): string[] {
    const declared = Object.entries(response.headers ?? {}).map(([name, header]) => ({
      name: name.toLowerCase(),
      ...resolve<Header>(document, header, `${at}/headers/${escapePointer(name)}`),
    }));
    const names = new Set(declared.map(({ name }) => name));
    const undeclared = Object.keys(sent).filter((name) => !names.has(name) && !transport.has(name));
    const wrong = declared.flatMap(({ name, value: { required }, pointer }) => {
      if (sent[name] === undefined) return required ? [`lacks the header ${name}`] : [];
      return mismatch(`${pointer}/schema`, sent[name], `the header ${name}`);
    });
    if (allowHeader) for (const name of undeclared) allowHeader(name);
    return [...(allowHeader ? [] : undeclared.map((name) => `has the undeclared header ${name}`)), ...wrong];
  }

  function checkBody({ content }: Response, at: string, { headers, body }: Reply, method: string): string[] {
    if (!content || method === 'HEAD') return body === '' ? [] : ['has a body, though none is declared'];
    const type = headers['content-type']?.split(';')[0] ?? '';
    // The bytes may have any type, which need not match the declared one.
    if (Object.hasOwn(content, '*/*')) return [];
    if (!Object.hasOwn(content, type)) return [`has a body of the undeclared type '${type}'`];
    return mismatch(`${at}/content/${escapePointer(type)}/schema`, body, 'the body');
  }

  return (method, path, reply) => {
    const found = find(method, path);
    const { operation } = found;
    // Browsers get the web page for any path; it shows that nothing was found.
    const isPage = operation === 'other path' && reply.status === 404 && reply.headers['content-type']?.startsWith('text/html');
    const { responses, pointer, status } = isPage ? { ...find('GET', '/'), status: 200 } : { ...found, status: reply.status };
    const declared = responses[status];
    if (!declared) return { operation, faults: [`has the undeclared status ${reply.status}`] };
    const { value: response, pointer: at } = resolve<Response>(document, declared, `${pointer}/${status}`);
    return { operation, faults: [...checkHeaders(response, at, reply.headers), ...checkBody(response, at, reply, method)] };
  };
}

/**
 * Finds the operation of a request, and the pointer to its responses. Undeclared methods and paths
 * have common declarations.
 */
function operationFinder(document: OpenApi) {
  const sections = ['paths', 'x-pages'] as const;
  const candidates = sections
    .flatMap((key) => Object.entries(document[key]).map(([path, methods]) => ({ key, path, methods, pattern: patternOf(path) })))
    .toSorted((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')));

  return (method: string, address: string): { operation: string; responses: Responses; pointer: string } => {
    const { pathname } = new URL(address, 'http://localhost');
    const found = candidates.find(({ pattern }) => pattern.test(pathname));
    if (!found) return { operation: 'other path', responses: document['x-other-paths'], pointer: '/x-other-paths' };
    const { key, path, methods } = found;
    // Every path with GET also has HEAD, except the path whose methods the specification fixes.
    const name = method === 'HEAD' && path !== '/api/rooms' ? 'get' : method.toLowerCase();
    const operation = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!operation) return { operation: 'other method', responses: document['x-other-methods'], pointer: '/x-other-methods' };
    const pointer = `/${key}/${escapePointer(path)}/${name}/responses`;
    return { operation: `${method} ${path}`, responses: operation.responses, pointer };
  };
}

/** Converts a path to a pattern: `{room}` becomes a named group. */
const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

// Headers of the connection and of HTTP, and Content-Type, which OpenAPI declares with the body.
const transport = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding']);
