import { link } from 'chat-service-rules/formats/markdown';
import type { Reader } from 'chat-service-rules/formats/reader';
import { branchOf, commitList, commits, isNothing, isTag, reset, said, saidWith, signOf, titled } from './repositories.ts';

/** Formats an event; undefined if there is nothing to show. */
type Template = (event: Reader) => string | undefined;

/** The templates for GitHub's events, by `X-GitHub-Event`. */
const templates: Record<string, Template> = {
  push(event) {
    const ref = event.at('ref').line();
    const kind = isTag(ref) ? 'tag' : 'branch';
    // Gitea sends only some of the commits.
    const count = event.at('total_commits').number() || event.at('commits').length;
    if (event.at('deleted').isTrue()) return say(event, `deleted ${kind} \`${branchOf(ref)}\``);
    if (count === 0 && event.at('created').isTrue()) return say(event, `created ${kind} \`${branchOf(ref)}\``);
    if (count === 0) return resetIn(event);
    const what = link(commits(count), event.first('compare', 'compare_url').address());
    const how = event.at('forced').isTrue() ? 'force-pushed' : 'pushed';
    return `${say(event, `${how} ${what} to \`${branchOf(ref)}\``)}\n${commitList(event.at('commits'), count)}`;
  },
  pull_request(event) {
    const request = event.at('pull_request');
    const action = event.at('action').line();
    const done = action === 'closed' && request.at('merged').isTrue() ? 'merged' : requestActions[action];
    if (done === undefined) return undefined;
    const line = say(event, `${done} pull request ${numbered(request)}`);
    return done === 'opened' ? saidWith(line, request.at('body').text()) : line;
  },
  issues(event) {
    const action = event.at('action').line();
    if (!/^(opened|closed|reopened)$/.test(action)) return undefined;
    const line = say(event, `${action} issue ${numbered(event.at('issue'))}`);
    return action === 'opened' ? saidWith(line, event.at('issue', 'body').text()) : line;
  },
  issue_comment: (event) => comment(event, event.at('issue')),
  pull_request_review_comment: (event) => comment(event, event.at('pull_request')),
  commit_comment: (event) => comment(event, event.at('comment'), `commit ${event.at('comment', 'commit_id').line().slice(0, 8)}`),
  pull_request_review(event) {
    const review = event.at('review');
    const done = event.at('action').line() === 'submitted' ? reviews[review.at('state').line().toLowerCase()] : undefined;
    if (done === undefined) return undefined;
    return saidWith(say(event, `${done} pull request ${numbered(event.at('pull_request'))}`), review.at('body').text());
  },
  release(event) {
    if (event.at('action').line() !== 'published') return undefined;
    const release = event.at('release');
    const name = release.at('name').line() || release.at('tag_name').line();
    return saidWith(say(event, `released ${link(name, release.at('html_url').address())}`), release.at('body').text());
  },
  workflow_run(event) {
    const run = event.at('workflow_run');
    if (event.at('action').line() !== 'completed') return undefined;
    const state = run.at('conclusion').line() || 'completed';
    const name = link(run.at('name').line() || 'Workflow', run.at('html_url').address());
    return said(
      repository(event),
      `${signOf(state)} ${name} on \`${run.at('head_branch').line()}\`: ${state.replaceAll('_', ' ')}`,
    );
  },
};

/**
 * A push without commits that does not create or delete a branch: it resets the branch to an
 * earlier commit.
 */
function resetIn(event: Reader): string | undefined {
  const [before, after] = [event.at('before').line(), event.at('after').line()];
  const isReset = before !== '' && after !== '' && !isNothing(before) && !isNothing(after);
  return isReset ? say(event, reset(event.at('ref').line(), after)) : undefined;
}

/**
 * Events that GitHub also reports as pushes, so that it would show them twice. Gitea reports them
 * only here.
 */
const ofGiteaAlone: Record<string, Template> = {
  create: (event) => say(event, `created ${event.at('ref_type').line()} \`${branchOf(event.at('ref').line())}\``),
  delete: (event) => say(event, `deleted ${event.at('ref_type').line()} \`${branchOf(event.at('ref').line())}\``),
};

/** The reviews of Gitea and Forgejo. Each kind of review has its own event. */
const ofGitea: Record<string, Template> = {
  pull_request_approved: (event) => giteaReview(event, 'approved'),
  pull_request_rejected: (event) => giteaReview(event, 'changes_requested'),
  pull_request_comment: (event) =>
    event.at('review').isThere ? giteaReview(event, 'commented') : comment(event, event.first('pull_request', 'issue')),
};

const giteaReview = (event: Reader, state: string): string =>
  saidWith(
    say(event, `${reviews[state]} pull request ${numbered(event.at('pull_request'))}`),
    event.at('review', 'content').text(),
  );

/** Formats an event of GitHub or Gitea; undefined if there is nothing to show. */
export function readGithub(name: string, event: Reader, isGitea: boolean): string | undefined {
  const known = [templates, ofGitea, ...(isGitea ? [ofGiteaAlone] : [])].find((some) => Object.hasOwn(some, name));
  return known?.[name]?.(event);
}

const requestActions: Record<string, string | undefined> = {
  opened: 'opened',
  closed: 'closed',
  reopened: 'reopened',
  ready_for_review: 'asks for a review of',
};

const reviews: Record<string, string | undefined> = {
  approved: 'approved',
  changes_requested: 'asks for changes of',
  commented: 'commented on',
};

const repository = (event: Reader): string => event.at('repository', 'full_name').line();

const say = (event: Reader, what: string): string =>
  said(repository(event), event.at('sender').first('login', 'username').line(), what);

const numbered = (thing: Reader): string =>
  titled('#', thing.at('number').line(), thing.at('title').line(), thing.at('html_url').address());

function comment(event: Reader, on: Reader, called = numbered(on)): string | undefined {
  const written = event.at('comment');
  if (event.at('action').line() !== 'created') return undefined;
  const what = link('commented', written.at('html_url').address());
  return saidWith(say(event, `${what} on ${called}`), written.at('body').text());
}
