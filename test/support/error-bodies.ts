import { contract } from './contract.ts';

/** The error codes of the contract, by their messages. */
const codes = new Map(
  Object.values(contract.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ description = '' }) => description.split(' / '))
    .flatMap((said) => [...said.matchAll(/^`(\w+)`: (.*)$/g)].map(([, code = '', sentence = '']) => [sentence, code] as const)),
);

/** The bodies of the errors. */
export const unauthenticated = {
  title: 'Not authentificated',
  description: 'Please provide an auth token or login.',
  code: 'unauthenticated',
};
export const denied = (description = 'Admin required.') => ({
  title: 'Permission Denied',
  description,
  code: codes.get(description),
});
export const missing = (name: string) => ({
  title: 'Missing parameter',
  description: `The '${name}' parameter is required.`,
  code: 'missing_parameter',
});
export const missingEvery = (...names: string[]) => ({
  title: 'Missing parameter',
  description: `At least one of the parameters ${names.map((name) => `'${name}'`).join(', ')} is required.`,
  code: 'missing_parameter',
});
export const invalid = (name: string, rule: string) => ({
  title: 'Invalid parameter',
  description: `The '${name}' parameter must ${rule}.`,
  code: 'invalid_parameter',
});
export const invalidJson = (description = 'The request body is not a JSON object.') => ({
  title: 'Invalid JSON',
  description,
  code: 'invalid_json',
});
export const noSuch = (thing: string) => ({ title: 'Not found', description: `No such ${thing}.`, code: `${thing}_not_found` });
export const conflict = (description: string) => ({ title: 'Conflict', description, code: codes.get(description) });

/** The errors with their statuses. */
export const refusals = {
  unauthenticated: { status: 401, body: unauthenticated },
  wrongLogin: { status: 401, body: { ...unauthenticated, description: 'The username or password is incorrect.' } },
  denied: (description?: string) => ({ status: 403, body: denied(description) }),
  missing: (name: string) => ({ status: 400, body: missing(name) }),
  invalid: (name: string, rule: string) => ({ status: 400, body: invalid(name, rule) }),
  noSuch: (thing: string) => ({ status: 404, body: noSuch(thing) }),
  conflict: (description: string) => ({ status: 409, body: conflict(description) }),
};
