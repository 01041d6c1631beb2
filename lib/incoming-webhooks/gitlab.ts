import { link } from 'chat-service-rules/formats/markdown';
import type { Reader } from 'chat-service-rules/formats/reader';
import { branchOf, commitList, commits, isNothing, isTag, reset, said, saidWith, signOf, titled } from './repositories.ts';

/**
 * The templates for GitLab's events, by `object_kind`. They return undefined for events that are
 * not shown.
 */
const templates: Record<string, (event: Reader) => string | undefined> = {
  push: pushed,
  tag_push: pushed,
  merge_request(event) {
    const request = event.at('object_attributes');
    const done = actions[request.at('action').line()];
    if (done === undefined) return undefined;
    const line = say(event, `${done} merge request ${numbered('!', request)}`);
    return done === 'opened' ? saidWith(line, request.at('description').text()) : line;
  },
  issue(event) {
    const issue = event.at('object_attributes');
    const done = actions[issue.at('action').line()];
    if (done === undefined) return undefined;
    const line = say(event, `${done} issue ${numbered('#', issue)}`);
    return done === 'opened' ? saidWith(line, issue.at('description').text()) : line;
  },
  note(event) {
    const note = event.at('object_attributes');
    if (note.at('action').isThere && note.at('action').line() !== 'create') return undefined;
    const on = [
      numbered('!', event.at('merge_request')),
      numbered('#', event.at('issue')),
      event.at('snippet', 'title').line(),
      event.at('commit', 'id').line().slice(0, 8),
    ].find(Boolean);
    const what = link('commented', note.at('url').address());
    return saidWith(say(event, on ? `${what} on ${on}` : what), note.at('note').text());
  },
  release(event) {
    if (event.at('action').line() !== 'create') return undefined;
    const name = link(event.at('name').line() || event.at('tag').line(), event.at('url').address());
    return saidWith(said(project(event), `released ${name}`), event.at('description').text());
  },
  pipeline(event) {
    const pipeline = event.at('object_attributes');
    const state = pipeline.at('status').line();
    if (!/^(success|failed|canceled)$/.test(state)) return undefined;
    const address = pipeline.at('url').address();
    const name = link(`Pipeline ${pipeline.at('id').line()}`.trim(), address);
    return said(project(event), `${signOf(state)} ${name} on \`${pipeline.at('ref').line()}\`: ${state}`);
  },
};

/** Formats an event of GitLab; undefined if there is nothing to show. */
export function readGitlab(event: Reader): string | undefined {
  const kind = event.at('object_kind').line();
  return Object.hasOwn(templates, kind) ? templates[kind]?.(event) : undefined;
}

const actions: Record<string, string | undefined> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
  approved: 'approved',
};

function pushed(event: Reader): string {
  const ref = event.at('ref').line();
  const kind = isTag(ref) ? 'tag' : 'branch';
  const count = event.at('total_commits_count').number() || event.at('commits').length;
  if (isNothing(event.at('after').line())) return say(event, `deleted ${kind} \`${branchOf(ref)}\``);
  const before = event.at('before').line();
  const isReset = before !== '' && !isNothing(before);
  if (count === 0 || isTag(ref))
    return say(event, isReset ? reset(ref, event.at('after').line()) : `created ${kind} \`${branchOf(ref)}\``);
  return `${say(event, `pushed ${commits(count)} to \`${branchOf(ref)}\``)}\n${commitList(event.at('commits'), count)}`;
}

const project = (event: Reader): string => event.at('project', 'path_with_namespace').line();

const say = (event: Reader, what: string): string =>
  said(project(event), event.at('user').first('name', 'username').line() || event.at('user_name').line(), what);

const numbered = (sign: string, thing: Reader): string =>
  thing.at('iid').isThere ? titled(sign, thing.at('iid').line(), thing.at('title').line(), thing.at('url').address()) : '';
