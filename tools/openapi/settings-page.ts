import { type Setting, settings } from '../../lib/settings/settings.ts';

/** Generates docs/settings.md: every setting, grouped by its place. */
export const settingsPage = (): string => `# Settings

<!-- Generated from lib/settings/settings.ts by 'npm run openapi'. -->

All settings of the service, with their defaults. Settings are environment variables:

\`REGISTRATION=invited npm start\`

An invalid value stops the service with an error that names the variable. A misspelled variable
prints a warning.

${tableOf('service')}

## On a machine

${tableOf('machine')}

\`npm run serve\` also reads these. An option overrides its variable: \`npm run serve -- --port 8080\`.

${tableOf('serve')}

## On AWS

A [deployment](deploying.md) reads its settings from \`.env.<stage>\`. \`AWS_REGION\` (default
\`eu-central-1\`) is the region of the cluster. \`CONCURRENCY_<NAME>\` is the
[reserved concurrency](deploying.md#connections-and-concurrency) of one function.

${tableOf('aws')}
`;

function tableOf(where: Setting['where']): string {
  const rows = Object.entries<Setting>(settings).filter(([, setting]) => setting.where === where);
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows.map(rowOf)].join('\n');
}

function rowOf([name, { fallback, shown, option, meaning }]: [string, Setting]): string {
  const byDefault = shown ?? (fallback === '' ? 'none' : `\`${fallback}\``);
  return `| \`${name}\`${option === undefined ? '' : `, \`--${option}\``} | ${byDefault} | ${meaning} |`;
}
