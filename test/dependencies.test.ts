import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

type LockedPackage = { dev?: boolean; devOptional?: boolean; optional?: boolean; link?: boolean };

const root = new URL('../', import.meta.url);
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

/** The packages of the registry that a server installs. */
const installed = Object.entries(packages)
  .filter(
    ([path, { dev, devOptional, optional, link }]) =>
      path.includes('node_modules/') && !dev && !devOptional && !optional && !link,
  )
  .map(([path]) => path.slice(path.indexOf('node_modules/') + 'node_modules/'.length));

it('a server installs at most 90 packages, and none of the AWS SDK', () => {
  expect(installed.length).toBeLessThanOrEqual(90);
  expect(installed.filter((name) => /^@(aws|aws-sdk|smithy)\//.test(name))).toEqual([]);
});

it.each(['Dockerfile', 'docs/self-hosting.md'])('%s leaves out the packages that a server does not need', (file) => {
  const text = readFileSync(new URL(file, root), 'utf8');
  const commands = text.match(/npm (ci|prune) --omit=dev\S*[^\n`]*/g) ?? [];
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) expect(command).toContain('--omit=dev --omit=optional');
});
