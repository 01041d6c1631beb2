import { readFileSync } from 'node:fs';

/*
 * Checks before a release that the tag, the package versions and the changelog agree. The client
 * must name the repository that publishes it, as npm's provenance requires. Usage:
 * `node tools/release.ts v0.2.0`
 */

const [tag = ''] = process.argv.slice(2);
const manifestOf = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const versionOf = (path: string): string => manifestOf(path).version;
const changes = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');

const publisher = process.env.GITHUB_REPOSITORY;
const { repository } = manifestOf('packages/client/package.json');

const problems = [
  ...['package.json', 'packages/client/package.json'].flatMap((path) =>
    tag === `v${versionOf(path)}` ? [] : [`${path} has the version ${versionOf(path)}, and the tag is ${tag || 'missing'}.`],
  ),
  ...(new RegExp(`^## ${tag.slice(1).replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d$`, 'm').test(changes)
    ? []
    : [`CHANGELOG.md has no heading '## ${tag.slice(1)} - <date>'.`]),
  ...(!publisher || repository.url === `git+https://github.com/${publisher}.git`
    ? []
    : [`packages/client/package.json names the repository ${repository.url}, and ${publisher} publishes it.`]),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
