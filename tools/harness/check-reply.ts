import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { escapePointer, type Header, type OpenApi, type Response, type Responses, resolve } from '../../lib/reference/openapi.ts';
import type { Reply } from './transports.ts';

/** A reply, compared with the contract: the operation that gave it, and how it differs from what is declared. */
type CheckedReply = { operation: string; faults: string[] };

/**
 * Compares replies with an OpenAPI document: an undeclared status, header or field is a fault; a header none where somebody else may have added
 * it, and `allowHeader` is told of it.
 */
export function replyChecker(
  document: OpenApi,
  allowHeader?: (name: string) => void,
): (method: string, path: string, reply: Reply) => CheckedReply {
  // Each process that tests compiles the schemas of what it asks for: that the document is right is tested by itself.
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
    // Bytes of any type, which need not be what their file is called.
    if (Object.hasOwn(content, '*/*')) return [];
    if (!Object.hasOwn(content, type)) return [`has a body of the undeclared type '${type}'`];
    return mismatch(`${at}/content/${escapePointer(type)}/schema`, body, 'the body');
  }

  return (method, path, reply) => {
    const found = find(method, path);
    const { operation } = found;
    // A browser gets the page that every view has, which says that there is nothing.
    const isPage = operation === 'other path' && reply.status === 404 && reply.headers['content-type']?.startsWith('text/html');
    const { responses, pointer, status } = isPage ? { ...find('GET', '/'), status: 200 } : { ...found, status: reply.status };
    const declared = responses[status];
    if (!declared) return { operation, faults: [`has the undeclared status ${reply.status}`] };
    const { value: response, pointer: at } = resolve<Response>(document, declared, `${pointer}/${status}`);
    return { operation, faults: [...checkHeaders(response, at, reply.headers), ...checkBody(response, at, reply, method)] };
  };
}

/** Finds the operation of a request, and the pointer to its responses; other methods and paths have their own declarations. */
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
    // Every path that can be read has HEAD, but where the specification says which methods there are.
    const name = method === 'HEAD' && path !== '/api/rooms' ? 'get' : method.toLowerCase();
    const operation = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!operation) return { operation: 'other method', responses: document['x-other-methods'], pointer: '/x-other-methods' };
    const pointer = `/${key}/${escapePointer(path)}/${name}/responses`;
    return { operation: `${method} ${path}`, responses: operation.responses, pointer };
  };
}

/** The pattern of a path with variables: `{room}` is a named group. */
const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

// Headers of the connection and of HTTP itself, and Content-Type, which OpenAPI declares with the body.
const transport = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding']);
