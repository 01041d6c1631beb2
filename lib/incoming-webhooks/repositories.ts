import { lines, link, list, quote } from 'chat-service-rules/formats/markdown';
import type { Reader } from 'chat-service-rules/formats/reader';
import { shortened } from 'chat-service-rules/shortened';

/* Shared parts of the GitHub and GitLab templates: who did what in which repository. */

/** A line such as "**team/app**: ann opened pull request [#3 Title](…)". */
export const said = (place: string, ...what: string[]): string =>
  lines(`${place === '' ? '' : `**${place}**: `}${what.filter(Boolean).join(' ')}`);

/** An issue or a request, by its number and its title. */
export const titled = (sign: string, number: string, title: string, address: string | undefined): string =>
  link(`${sign}${number} ${title}`.trim(), address);

/** A number of commits. */
export const commits = (count: number): string => `${count} ${count === 1 ? 'commit' : 'commits'}`;

/** The first commits that were pushed, by the first line of what they say. */
export function commitList(all: Reader, count: number): string {
  const shown = all.list(mostCommits);
  const texts = shown.map((commit) => {
    const [subject = ''] = commit.at('message').text().split('\n');
    const by = commit.at('author').first('name', 'username').line();
    return `${link(commit.at('id').line().slice(0, 8), commit.at('url').address())} ${shortened(subject, 200)}${by && ` (${by})`}`;
  });
  return list(texts, Math.max(0, count - shown.length));
}

const mostCommits = 5;

/** True for the commit of a branch or a tag that does not exist. */
export const isNothing = (commit: string): boolean => /^0+$/.test(commit);

/** A branch or a tag was set to a commit that is not among the pushed ones. */
export const reset = (ref: string, commit: string): string =>
  `set ${isTag(ref) ? 'tag' : 'branch'} \`${branchOf(ref)}\` to \`${commit.slice(0, 8)}\``;

/** A branch or a tag by its full name. */
export const branchOf = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '');

/** True for the full name of a tag. */
export const isTag = (ref: string): boolean => ref.startsWith('refs/tags/');

/** A line, with the quoted text below it. */
export const saidWith = (line: string, text: string): string => lines(line, quote(text));

/** How a run of a pipeline ended, as a sign. */
export const signOf = (state: string): string =>
  /^(success|completed)$/.test(state) ? '✅' : /^(fail|time|startup)/.test(state) ? '❌' : '⚪';
