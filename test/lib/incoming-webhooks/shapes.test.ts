import { mrkdwn } from 'chat-service-rules/formats/slack';
import { parse } from 'chat-service-rules/markdown/parse';
import { textOfBlocks } from 'chat-service-rules/markdown/plain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../../../lib/base/errors.ts';
import { readSent } from '../../../lib/incoming-webhooks/shapes.ts';
import { anyCharacter } from '../../support/characters.ts';

const bytesOf = (body: unknown) => new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
const textOf = (body: unknown, headers: Record<string, string> = {}) => readSent(bytesOf(body), headers).text;
const github = (name: string, event: object) => textOf(event, { 'x-github-event': name });
const gitlab = (event: object) => textOf(event, { 'x-gitlab-event': 'Any Hook' });

describe("Slack's markup as Markdown", () => {
  it.each([
    ['emphasis', '*bold* _italic_ ~gone~ `code`', '**bold** _italic_ ~~gone~~ `code`'],
    ['a bold link', '*<https://ci.example/a_b*c|Build #7>*', '**[Build #7](https://ci.example/a_b*c)**'],
    [
      'links',
      '<https://a.example> <https://a.example/?x=1&amp;y=2|here>',
      'https://a.example [here](https://a.example/?x=1&y=2)',
    ],
    ['an address of e-mail', '<mailto:ann@example.org|ann@example.org>', 'ann@example.org'],
    ['mentions', '<@U1|ann> <@bob> <#C1|general> <!here> <!channel|channel>', '@ann @bob #general @here @channel'],
    ['a group and a time', '<!subteam^S1|@ops> <!date^1700000000^{date}|today>', '@ops today'],
    ['entities', '1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;', '1 < 2 && 3 > 2 &lt;'],
    ['code, in which nothing else has a meaning', '```a *b* <c&gt;```', '```\na *b* <c>\n```'],
    ['what opens and never ends', '`a ```b *c*', '`a ```b **c**'],
    ['products and names of files', '2 * 3 * 4, a*b*c, snake_case', '2 * 3 * 4, a*b*c, snake_case'],
    ['an address that no browser opens', '<javascript:alert(1)|click>', 'click'],
    ['brackets in a label', '<https://a.example|[1] a>', '[\\[1\\] a](https://a.example)'],
  ])("Slack's markup becomes Markdown: %s", (_what, sent, shown) => {
    expect(mrkdwn(sent)).toBe(shown);
  });
});

describe('messages in the shapes of other programs', () => {
  it.each([
    [
      'Markdown',
      '*Build* [#7](https://ci.example/7) and <https://ci.example>',
      'own',
      '*Build* [#7](https://ci.example/7) and <https://ci.example>',
    ],
    [
      "Slack's markup, where a link says so",
      '*Build* <https://ci.example/7|#7> failed',
      'slack',
      '**Build** [#7](https://ci.example/7) failed',
    ],
  ])('a text alone is %s', (_what, text, shape, shown) => {
    expect(readSent(bytesOf({ text }), {})).toEqual({ shape, text: shown });
  });

  it("Slack's attachments become cards, with the name and the icon that the program gives itself", () => {
    const sent = {
      username: 'Grafana',
      icon_emoji: ':rotating_light:',
      channel: '#ops',
      text: 'Two *alarms*',
      attachments: [
        {
          color: 'danger',
          pretext: 'Look:',
          author_name: 'checkout',
          title: 'Latency',
          title_link: 'https://grafana.example/d/1',
          text: 'above *2 s*',
          fields: [
            { title: 'p95', value: '2.4 s', short: true },
            { title: 'since', value: '<https://a.example|10 min>' },
          ],
          footer: 'Grafana v12',
          ts: 1_795_000_000,
        },
        { color: '36A64F', fallback: 'Recovered' },
        { color: '#000000' },
      ],
    };
    const cards = [
      {
        color: '#e01e5a',
        author: 'checkout',
        title: 'Latency',
        url: 'https://grafana.example/d/1',
        text: 'above **2 s**',
        fields: [
          { title: 'p95', value: '2.4 s', is_short: true },
          { title: 'since', value: '[10 min](https://a.example)', is_short: false },
        ],
        footer: 'Grafana v12',
        at: new Date(1_795_000_000_000),
      },
      { color: '#36a64f', text: 'Recovered', fields: [] },
    ];
    const text = 'Two **alarms**\n\nLook:';
    const { display, text: whole } = readSent(bytesOf(sent), {});
    expect(display).toEqual({ name: 'Grafana', icon: ':rotating_light:', text, cards });
    for (const part of ['Two **alarms**', 'Latency', 'above **2 s**', '2.4 s', 'Recovered']) expect(whole).toContain(part);
  });

  it.each([
    ['without attachments, a name and an icon', { text: 'a', channel: '#ops' }, undefined],
    ['with an icon of another service alone', { text: 'a', icon_url: 'https://a.example/i.png' }, undefined],
    ['with a name alone', { text: 'a', username: 'CI' }, { name: 'CI', cards: [] }],
    ['with a time that is none', { attachments: [{ text: 'a', ts: 'soon' }] }, { text: '', cards: [{ text: 'a', fields: [] }] }],
    ['that is too long to be shown as cards', { attachments: [{ text: 'a'.repeat(12_001) }] }, undefined],
  ])("a message in Slack's shape looks as it wants to: %s", (_what, sent, display) => {
    expect(readSent(bytesOf(sent), {}).display).toEqual(display);
  });

  it("Slack's blocks are readable, and their text stands in only if they show nothing", () => {
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy' } },
      { type: 'section', text: { type: 'mrkdwn', text: '*app* to <https://a.example|production>' } },
      {
        type: 'section',
        fields: [
          { type: 'mrkdwn', text: '*By:* ann' },
          { type: 'plain_text', text: '2 * 3' },
        ],
      },
      { type: 'divider' },
      {
        type: 'context',
        elements: [
          { type: 'image', alt_text: 'cat' },
          { type: 'mrkdwn', text: 'took _3 min_' },
        ],
      },
      {
        type: 'actions',
        elements: [
          { type: 'button', text: { type: 'plain_text', text: 'Open' }, url: 'https://a.example/1' },
          { type: 'button', text: { type: 'plain_text', text: 'Approve' }, action_id: 'x' },
        ],
      },
      { type: 'unheard_of', text: 5 },
    ];
    expect(textOf({ text: 'fallback', blocks })).toBe(
      [
        '## Deploy',
        '**app** to [production](https://a.example)',
        '**By:** ann\n\n2 * 3',
        '---',
        'cat took _3 min_',
        '[Open](https://a.example/1)',
      ].join('\n\n'),
    );
    expect(textOf({ text: 'fallback', blocks: [{ type: 'unheard_of' }] })).toBe('fallback');
  });

  it("a message of Grafana's contact point for Slack is readable", () => {
    const sent = {
      channel: '#alerts',
      username: 'Grafana',
      attachments: [
        {
          color: '#D63232',
          title: '[FIRING:1] High load (web-1)',
          title_link: 'https://grafana.example/alerting/list',
          text: '**Firing**\n\nValue: A=97\nLabels:\n - alertname = High load\n',
          fallback: '[FIRING:1] High load',
          footer: 'Grafana v12',
          image_url: 'https://grafana.example/shot.png',
          ts: 1_700_000_000,
        },
      ],
    };
    expect(textOf(sent)).toBe(
      '**[\\[FIRING:1\\] High load (web-1)](https://grafana.example/alerting/list)**\n**Firing**\n\nValue: A=97\nLabels:\n - alertname = High load\n\n[Image](https://grafana.example/shot.png)',
    );
  });

  it("a message of Alertmanager's slack_configs is readable, with fields and buttons", () => {
    const sent = {
      channel: '#ops',
      attachments: [
        {
          title: '[FIRING:2] DiskFull',
          title_link: 'https://alerts.example/#/alerts',
          pretext: '',
          text: 'Disk of db-1 is at 97 %',
          fallback: 'x',
          fields: [{ title: 'Severity', value: 'critical', short: true }],
          actions: [{ type: 'button', text: 'Runbook', url: 'https://wiki.example/disk' }],
          color: 'danger',
          mrkdwn_in: ['fallback', 'pretext', 'text'],
        },
      ],
    };
    expect(textOf(sent)).toBe(
      '**[\\[FIRING:2\\] DiskFull](https://alerts.example/#/alerts)**\nDisk of db-1 is at 97 %\n**Severity:** critical\n\n[Runbook](https://wiki.example/disk)',
    );
  });

  it("a message of Uptime Kuma's notification for Slack is readable", () => {
    const sent = {
      text: 'Uptime Kuma Alert',
      channel: null,
      username: 'Uptime Kuma',
      icon_emoji: ':robot_face:',
      attachments: [
        {
          color: '#e01e5a',
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: 'Uptime Kuma Alert' } },
            {
              type: 'section',
              fields: [
                { type: 'mrkdwn', text: '*Message*\n[shop] [🔴 Down] timeout' },
                { type: 'mrkdwn', text: '*Time (UTC)*\n2026-11-26 11:00' },
              ],
            },
            {
              type: 'actions',
              elements: [
                { type: 'button', text: { type: 'plain_text', text: 'Visit' }, value: 'Site', url: 'https://shop.example' },
              ],
            },
          ],
        },
      ],
    };
    expect(textOf(sent)).toBe(
      'Uptime Kuma Alert\n\n## Uptime Kuma Alert\n\n**Message**\n[shop] [🔴 Down] timeout\n\n**Time (UTC)**\n2026-11-26 11:00\n\n[Visit](https://shop.example)',
    );
  });

  it("a message of Gitea's webhook for Slack is readable", () => {
    const sent = {
      channel: '#git',
      text: '[<https://git.example/team/app|team/app>] Issue opened: <https://git.example/team/app/issues/3|#3 Owls &amp; mice> by <https://git.example/ann|ann>',
      username: 'Gitea',
      icon_url: 'https://git.example/icon.png',
      unfurl_links: 0,
      link_names: 0,
      attachments: [{ fallback: '', color: '#ff0000', title: '', text: 'They are *awake*.' }],
    };
    expect(textOf(sent)).toBe(
      '[[team/app](https://git.example/team/app)] Issue opened: [#3 Owls & mice](https://git.example/team/app/issues/3) by [ann](https://git.example/ann)\n\nThey are **awake**.',
    );
  });

  it("a message of Alertmanager's own webhook is readable", () => {
    const alert = (instance: string) => ({
      status: 'firing',
      labels: { alertname: 'DiskFull', instance },
      annotations: { summary: 'Disk is at 97 %' },
      generatorURL: 'https://prometheus.example/graph?g0.expr=a(b)',
    });
    const sent = {
      version: '4',
      groupKey: '{}:{alertname="DiskFull"}',
      status: 'firing',
      receiver: 'chat',
      groupLabels: { alertname: 'DiskFull' },
      commonLabels: {},
      externalURL: 'https://alerts.example',
      alerts: Array.from({ length: 12 }, (_, at) => alert(`db-${at}`)),
    };
    const text = textOf(sent) ?? '';
    expect(text).toMatch(/^🔴 \*\*\[FIRING: DiskFull\]\(https:\/\/alerts\.example\)\*\*\n\n/);
    expect(text).toContain(
      '- **[DiskFull](https://prometheus.example/graph?g0.expr=a%28b%29)** (db-0) firing: Disk is at 97 %\n',
    );
    expect(text).toMatch(/\(db-9\).*\n- … and 2 more$/);
  });

  it("a message of Grafana's own webhook is readable", () => {
    const sent = {
      receiver: 'chat',
      status: 'resolved',
      state: 'ok',
      title: '[RESOLVED] High load',
      message: 'long',
      externalURL: 'https://grafana.example/',
      alerts: [{ status: 'resolved', labels: { alertname: 'High load' }, annotations: {}, generatorURL: '' }],
    };
    expect(textOf(sent)).toBe('🟢 **[\\[RESOLVED\\] High load](https://grafana.example/)**\n\nlong\n\n- **High load** resolved');
  });
});

const repository = { full_name: 'team/app' };
const sender = { login: 'ann' };
const pull = { number: 3, title: 'Fix [owls]', html_url: 'https://git.example/3', body: 'They *sleep*.\n\nAll day.' };
const aCommit = (id: string, message: string) => ({ id, message, url: `https://git.example/${id}`, author: { name: 'Ann Li' } });

describe('events of GitHub', () => {
  it.each<[string, string, object, string | undefined]>([
    [
      'a push',
      'push',
      { ref: 'refs/heads/main', compare: 'https://git.example/compare', commits: [aCommit('0123456789', 'Wake owls\n\nAll.')] },
      '**team/app**: ann pushed [1 commit](https://git.example/compare) to `main`\n- [01234567](https://git.example/0123456789) Wake owls (Ann Li)',
    ],
    ['a new branch', 'push', { ref: 'refs/heads/a/b', created: true, commits: [] }, '**team/app**: ann created branch `a/b`'],
    ['a deleted tag', 'push', { ref: 'refs/tags/v1', deleted: true, commits: [] }, '**team/app**: ann deleted tag `v1`'],
    [
      'a new pull request',
      'pull_request',
      { action: 'opened', pull_request: pull },
      '**team/app**: ann opened pull request [#3 Fix \\[owls\\]](https://git.example/3)\n> They *sleep*.\n> \n> All day.',
    ],
    [
      'a merged pull request',
      'pull_request',
      { action: 'closed', pull_request: { ...pull, merged: true } },
      '**team/app**: ann merged pull request [#3 Fix \\[owls\\]](https://git.example/3)',
    ],
    ['a label on a pull request', 'pull_request', { action: 'labeled', pull_request: pull }, undefined],
    [
      'an issue without a text',
      'issues',
      { action: 'opened', issue: { ...pull, body: null } },
      '**team/app**: ann opened issue [#3 Fix \\[owls\\]](https://git.example/3)',
    ],
    [
      'a comment',
      'issue_comment',
      { action: 'created', issue: pull, comment: { body: 'Yes!', html_url: 'https://git.example/3#1' } },
      '**team/app**: ann [commented](https://git.example/3#1) on [#3 Fix \\[owls\\]](https://git.example/3)\n> Yes!',
    ],
    [
      'a review',
      'pull_request_review',
      { action: 'submitted', pull_request: pull, review: { state: 'APPROVED', body: null } },
      '**team/app**: ann approved pull request [#3 Fix \\[owls\\]](https://git.example/3)',
    ],
    [
      'a release',
      'release',
      { action: 'published', release: { name: '', tag_name: 'v1.2', html_url: 'https://git.example/v1.2', body: 'New owls' } },
      '**team/app**: ann released [v1.2](https://git.example/v1.2)\n> New owls',
    ],
    [
      'a workflow that failed',
      'workflow_run',
      {
        action: 'completed',
        workflow_run: { name: 'CI', conclusion: 'failure', head_branch: 'main', html_url: 'https://git.example/run' },
      },
      '**team/app**: ❌ [CI](https://git.example/run) on `main`: failure',
    ],
    ['a workflow that has begun', 'workflow_run', { action: 'requested', workflow_run: {} }, undefined],
    ['something else', 'star', { action: 'created' }, undefined],
    ['something that every object has', 'constructor', {}, undefined],
  ])('an event of GitHub is readable, or ignored: %s', (_what, name, event, text) => {
    expect(github(name, { repository, sender, ...event })).toBe(text);
  });
});

const project = { path_with_namespace: 'team/app', web_url: 'https://lab.example/team/app' };
const user = { name: 'Ann Li', username: 'ann' };
const issue = { iid: 4, title: 'Owls', url: 'https://lab.example/4', description: 'Awake.' };

describe('events of GitLab', () => {
  it.each<[string, object, string | undefined]>([
    [
      'a push',
      {
        object_kind: 'push',
        user_name: 'Ann Li',
        ref: 'refs/heads/main',
        after: 'abc',
        total_commits_count: 7,
        commits: Array.from({ length: 6 }, () => aCommit('0123456789', 'Wake')),
      },
      `**team/app**: Ann Li pushed 7 commits to \`main\`\n${'- [01234567](https://git.example/0123456789) Wake (Ann Li)\n'.repeat(5)}- … and 2 more`,
    ],
    [
      'a deleted branch',
      { object_kind: 'push', user_name: 'Ann Li', ref: 'refs/heads/x', after: '0'.repeat(40), commits: [] },
      '**team/app**: Ann Li deleted branch `x`',
    ],
    [
      'a tag',
      { object_kind: 'tag_push', user_name: 'Ann Li', ref: 'refs/tags/v1', after: 'abc', total_commits_count: 1, commits: [] },
      '**team/app**: Ann Li created tag `v1`',
    ],
    [
      'a merge request',
      { object_kind: 'merge_request', user, object_attributes: { ...issue, action: 'open' } },
      '**team/app**: Ann Li opened merge request [!4 Owls](https://lab.example/4)\n> Awake.',
    ],
    ['a changed request', { object_kind: 'merge_request', user, object_attributes: { ...issue, action: 'update' } }, undefined],
    [
      'an issue',
      { object_kind: 'issue', user, object_attributes: { ...issue, action: 'close' } },
      '**team/app**: Ann Li closed issue [#4 Owls](https://lab.example/4)',
    ],
    [
      'a comment',
      { object_kind: 'note', user, object_attributes: { note: 'Yes!', url: 'https://lab.example/4#n' }, issue },
      '**team/app**: Ann Li [commented](https://lab.example/4#n) on [#4 Owls](https://lab.example/4)\n> Yes!',
    ],
    [
      'a release',
      { object_kind: 'release', action: 'create', name: 'One', tag: 'v1', url: 'https://lab.example/v1', description: '' },
      '**team/app**: released [One](https://lab.example/v1)',
    ],
    [
      'a pipeline',
      {
        object_kind: 'pipeline',
        user,
        object_attributes: { id: 31, ref: 'main', status: 'success', url: 'https://lab.example/31' },
      },
      '**team/app**: ✅ [Pipeline 31](https://lab.example/31) on `main`: success',
    ],
    ['a pipeline that runs', { object_kind: 'pipeline', object_attributes: { status: 'running' } }, undefined],
    ['something else', { object_kind: 'wiki_page' }, undefined],
  ])('an event of GitLab is readable, or ignored: %s', (_what, event, text) => {
    expect(gitlab({ project, ...event })).toBe(text);
  });
});

it('an event of GitHub that is sent as a form is read as one that is not', () => {
  const event = { repository, sender, action: 'closed', issue: { number: 1, title: 'Owls' } };
  const form = new URLSearchParams({ payload: JSON.stringify(event) }).toString();
  expect(textOf(form, { 'x-github-event': 'issues' })).toBe('**team/app**: ann closed issue #1 Owls');
});

it('readers see the links of a converted message as links, with any label and address', () => {
  const text = github('issues', {
    repository,
    sender,
    action: 'closed',
    issue: { number: 1, title: 'a [b](c) ]( d', html_url: 'https://git.example/a(b)/ c' },
  });
  const [paragraph] = parse(text ?? '');
  const links = paragraph?.type === 'paragraph' ? paragraph.children.filter(({ type }) => type === 'link') : [];
  expect(links).toHaveLength(1);
  expect(links).toMatchObject([{ href: 'https://git.example/a%28b%29/%20c' }]);
  expect(textOfBlocks(parse(text ?? ''))).toContain('#1 a [b](c) ]( d');
});

describe('requests that may be anything', () => {
  /** The result of a body: a message's text, nothing, or an error. */
  const read = (body: unknown, headers: Record<string, string> = {}) => {
    try {
      const { text } = readSent(bytesOf(body), headers);
      if (text === undefined) return 'nothing';
      expect([...text].length).toBeLessThanOrEqual(10_000);
      expect(text).toMatch(/\S/);
      expect(text.isWellFormed()).toBe(true);
      return 'text';
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      expect(error.status).toBeOneOf([400, 413]);
      return 'refused';
    }
  };
  const events = [
    'push',
    'pull_request',
    'issues',
    'issue_comment',
    'commit_comment',
    'pull_request_review',
    'release',
    'workflow_run',
  ];
  const kinds = ['push', 'tag_push', 'merge_request', 'issue', 'note', 'release', 'pipeline'];
  const names = [
    ...[
      'text',
      'attachments',
      'blocks',
      'fields',
      'elements',
      'type',
      'title',
      'value',
      'alerts',
      'status',
      'labels',
      'annotations',
    ],
    ...[
      'action',
      'ref',
      'commits',
      'repository',
      'sender',
      'login',
      'pull_request',
      'issue',
      'comment',
      'review',
      'release',
      'body',
    ],
    ...[
      'object_kind',
      'object_attributes',
      'project',
      'user',
      'url',
      'number',
      'iid',
      'workflow_run',
      'message',
      'author',
      'constructor',
    ],
  ];
  const words = fc.constantFrom(
    'header',
    'section',
    'context',
    'actions',
    'opened',
    'created',
    'completed',
    'https://a.example',
    ...kinds,
  );
  const { value: json } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      fc.oneof(fc.string({ unit: anyCharacter }), words, fc.double(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 8 }),
    ),
  }));

  it('any request becomes a text that a message can have, nothing, or a refusal', () => {
    const seen = new Set<string>();
    const any = fc.tuple(
      fc.dictionary(fc.constantFrom(...names), json, { maxKeys: 10 }),
      fc.oneof(
        fc.constant({}),
        fc.constantFrom(...events).map((event) => ({ 'x-github-event': event })),
        fc.constant({ 'x-gitlab-event': 'Hook' }),
      ),
    );
    fc.assert(
      fc.property(any, ([body, headers]) => {
        seen.add(read(body, headers as Record<string, string>));
      }),
      { numRuns: 3_000 },
    );
    expect([...seen].sort()).toEqual(['nothing', 'refused', 'text']);
  });

  it('any bytes are read, or refused with an error for the caller', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string().map(bytesOf)), (bytes) => {
        try {
          readSent(bytes, {});
        } catch (error) {
          expect(error).toBeInstanceOf(HttpError);
        }
      }),
    );
  });

  it.each<[string, unknown, string]>([
    ['text nested deep', `${'{"text":'.repeat(25_000)}1${'}'.repeat(25_000)}`, 'refused'],
    ['a list nested deep', `{"blocks":${'['.repeat(120_000)}${']'.repeat(120_000)}}`, 'refused'],
    ['10000 blocks', { blocks: Array(10_000).fill({ type: 'section' }), text: 'x' }, 'text'],
    ['a hundred thousand stars', { text: '*a'.repeat(100_000), channel: '' }, 'text'],
    ['nothing but backticks', { text: '`'.repeat(250_000), channel: '' }, 'text'],
    ['links that never end', { text: '<a|'.repeat(80_000), channel: '' }, 'text'],
    ['a hundred long attachments', { attachments: Array(100).fill({ text: '*a*~b~<https://c|d>`'.repeat(120) }) }, 'text'],
    ['nothing but entities', { text: '&amp;'.repeat(50_000), channel: '' }, 'text'],
    ['control characters and halves of characters', { text: 'a\u0000\u001b[31mb\ud800', channel: '' }, 'text'],
    ['nothing to see', { text: '\u200b', channel: '' }, 'refused'],
    ['__proto__', '{"__proto__":{"text":"x"},"attachments":[]}', 'refused'],
    ['a form with many fields', 'a=b&'.repeat(60_000), 'refused'],
    ['more than is read', 'x'.repeat(262_145), 'refused'],
  ])('a body is read in a moment: %s', (_what, body, outcome) => {
    const begun = performance.now();
    expect(read(body)).toBe(outcome);
    // Takes a few milliseconds on an idle machine.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
