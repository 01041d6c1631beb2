import type { SetupCode } from '../../lib/accounts/setup-code.ts';

/** How far a service is set up: whether it has an administrator; while there is no account at all, the code that makes one, or why there is none. */
export type Beginning = { hasAdministrator: boolean; setupCode: SetupCode | undefined; setupRefusal?: string | undefined };

/** What the person who starts the service needs next: where it is, where its documentation is, and how to begin while there is no administrator. */
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

/** Without the place of the data, it would make another database, beside the one that is served. The connection string is a secret. */
function command(): string {
  const { DATA_DIR: directory = '', MONGODB_DATABASE: name = '', SERVER_OF_DATABASE: server } = process.env;
  const isGiven = Boolean(server);
  const where = isGiven ? `MONGODB_URI="$MONGODB_URI" ${set('MONGODB_DATABASE', name)}` : set('DATA_DIR', directory);
  return `${where}npm run --silent admin -- user create <username> --email <email> --admin`;
}

const set = (variable: string, value: string): string =>
  value && `${variable}=${/^[\w./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`} `;
