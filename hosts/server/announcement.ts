import type { SetupCode } from '../../lib/accounts/setup-code.ts';

/**
 * The setup state of a service. Before the first account exists, it has the code that creates an
 * administrator, or the reason why it could not be created.
 */
export type Beginning = { hasAdministrator: boolean; setupCode: SetupCode | undefined; setupRefusal?: string | undefined };

/**
 * The message at the start: the addresses of the service and its documentation, and the next step
 * if it has not been set up.
 */
export function announcement(url: string, { hasAdministrator, setupCode, setupRefusal }: Beginning): string {
  const lines = [
    `The API is at ${url}/api, the web client at ${url}/. Ctrl-C stops both.`,
    `The documentation is at ${url}/docs.`,
    ...(setupRefusal ? [setupRefusal] : []),
    ...(setupCode ? [`Make the first administrator, within a day: ${setupCode.address ?? url}${setupCode.path}`] : []),
    ...(hasAdministrator || setupRefusal
      ? []
      : [`${setupCode ? 'Or by a command' : 'Make the first administrator'}: ${command()}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * The command must name the data directory; otherwise it would create another database. It must not
 * show the connection string, which is a secret.
 */
function command(): string {
  const { DATA_DIR: directory = '', MONGODB_DATABASE: name = '', SERVER_OF_DATABASE: server } = process.env;
  const isGiven = Boolean(server);
  const where = isGiven ? `MONGODB_URI="$MONGODB_URI" ${set('MONGODB_DATABASE', name)}` : set('DATA_DIR', directory);
  return `${where}npm run --silent admin -- user create <username> --email <email> --admin`;
}

const set = (variable: string, value: string): string =>
  value && `${variable}=${/^[\w./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`} `;
