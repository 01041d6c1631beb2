import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeForeign } from '../../../lib/incoming-webhooks/body.ts';
import { readSent } from '../../../lib/incoming-webhooks/shapes.ts';

const json = (text: string) => Buffer.from(JSON.stringify({ text }));
const utf16 = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};
const textOf = async (bytes: Uint8Array, headers: Record<string, string> = {}) =>
  readSent(await decodeForeign(bytes, headers), headers).text;

const parts = (...fields: [string, string][]) =>
  Buffer.from(
    `${fields.map(([name, value]) => `--boundary7\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--boundary7--\r\n`,
  );
const multipart = { 'content-type': 'multipart/form-data; boundary=boundary7' };

describe('the body that another program sends to a webhook', () => {
  it.each<[string, Uint8Array, Record<string, string>]>([
    ['in UTF-8', json('Grüße 👋'), {}],
    ['in UTF-8 with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json('Grüße 👋')]), {}],
    ['packed by gzip', gzipSync(json('Grüße 👋')), { 'content-encoding': 'gzip' }],
    ['packed by gzip, without the header', gzipSync(json('Grüße 👋')), {}],
    ['packed by deflate', deflateSync(json('Grüße 👋')), { 'content-encoding': 'deflate' }],
    ['packed by brotli', brotliCompressSync(json('Grüße 👋')), { 'content-encoding': 'br' }],
    ['unpacked by a proxy that left the header', json('Grüße 👋'), { 'content-encoding': 'gzip' }],
    ['in UTF-16LE', utf16(String(json('Grüße 👋')), false), {}],
    ['in UTF-16BE', utf16(String(json('Grüße 👋')), true), {}],
    ['in UTF-16 with a byte order mark', utf16(`\ufeff${json('Grüße 👋')}`, false), {}],
    ['in UTF-16, as it says', utf16(String(json('Grüße 👋')), false), { 'content-type': 'application/json; charset=utf-16' }],
    ['as a form with parts', parts(['text', 'Grüße 👋']), multipart],
    ['as a form with parts that has a payload', parts(['other', 'x'], ['payload', String(json('Grüße 👋'))]), multipart],
    ['as a form', Buffer.from(`text=${encodeURIComponent('Grüße 👋')}`), {}],
  ])('a webhook reads a text %s', async (_how, bytes, headers) => {
    expect(await textOf(bytes, headers)).toBe('Grüße 👋');
  });

  it.each([
    ['Latin-1, as it says', 'application/json; charset=ISO-8859-1', 'Grüße', 'latin1'],
    ['Latin-1, of which it says nothing', 'application/json', 'Grüße', 'latin1'],
    ['Latin-1, although it says UTF-8', 'application/json; charset=utf-8', 'Grüße', 'latin1'],
    ['Latin-1, under a name that nobody knows', 'application/json; charset=x-own', 'Grüße', 'latin1'],
  ] as const)('a webhook reads a text in %s', async (_how, type, text, encoding) => {
    expect(await textOf(Buffer.from(String(json(text)), encoding), { 'content-type': type })).toBe(text);
  });

  it.each([
    ['as it says', 'application/x-www-form-urlencoded; charset=ISO-8859-1'],
    ['of which it says nothing', 'application/x-www-form-urlencoded'],
  ])('a webhook reads a form whose escaped characters are in Latin-1, %s', async (_how, type) => {
    expect(await textOf(Buffer.from('text=Gr%FC%DFe+100%25'), { 'content-type': type })).toBe('Grüße 100%');
    const payload = 'payload=%7B%22text%22%3A%22Gr%FC%DFe%22%7D';
    expect(await textOf(Buffer.from(payload), { 'content-type': type })).toBe('Grüße');
  });

  it('a webhook refuses a body that unpacks to too much, or that cannot be unpacked', async () => {
    await expect(textOf(gzipSync(Buffer.alloc(1_000_000)), { 'content-encoding': 'gzip' })).rejects.toMatchObject({
      status: 413,
    });
    await expect(textOf(brotliCompressSync(Buffer.alloc(1_000_000)), { 'content-encoding': 'br' })).rejects.toMatchObject({
      status: 413,
    });
    await expect(textOf(gzipSync(json('x')).subarray(0, 12))).rejects.toMatchObject({ status: 400 });
    await expect(textOf(Buffer.from('--x'), multipart)).rejects.toMatchObject({ status: 400 });
  });
});

describe('the events and alerts that other programs send to a webhook', () => {
  const read = (body: object, headers: Record<string, string> = {}) => readSent(Buffer.from(JSON.stringify(body)), headers).text;
  const repository = { full_name: 'o/r', html_url: 'https://git.example/o/r' };
  const sender = { login: 'ann' };
  const gitea = (event: string, body: object) =>
    read({ repository, sender, ...body }, { 'x-github-event': event, 'x-gitea-event': event });
  const pull_request = { number: 3, title: 'T', html_url: 'https://git.example/o/r/pulls/3' };

  it.each([
    ['pull_request_approved', 'approved'],
    ['pull_request_rejected', 'asks for changes of'],
    ['pull_request_comment', 'commented on'],
  ])('a review of Gitea is shown as one of GitHub: %s', (event, done) => {
    const body = { action: 'reviewed', number: 3, pull_request, review: { type: 'x', content: 'Fine' } };
    expect(gitea(event, body)).toBe(`**o/r**: ann ${done} pull request [#3 T](https://git.example/o/r/pulls/3)\n> Fine`);
  });

  it('a create or delete event of Gitea shows the branch or tag; that of GitHub, whose pushes show it, shows nothing', () => {
    expect(gitea('create', { ref: 'v1', ref_type: 'tag' })).toBe('**o/r**: ann created tag `v1`');
    expect(gitea('delete', { ref: 'old', ref_type: 'branch' })).toBe('**o/r**: ann deleted branch `old`');
    expect(read({ repository, sender, ref: 'v1', ref_type: 'tag' }, { 'x-github-event': 'create' })).toBeUndefined();
  });

  const [one, two, none] = ['1', '2', '0'].map((digit) => digit.repeat(40));
  const commit = { id: two, message: 'c', url: 'https://git.example/c', author: { name: 'x' } };

  it('a push of Gitea shows the number of all commits, though it contains only a few', () => {
    const push = { ref: 'refs/heads/main', before: one, after: two, total_commits: 37, commits: Array(5).fill(commit) };
    expect(gitea('push', push)).toMatch(/pushed 37 commits to `main`[\s\S]*and 32 more$/);
  });

  it.each([
    ['GitHub', (body: object) => read({ repository, sender, commits: [], forced: true, ...body }, { 'x-github-event': 'push' })],
    ['Gitea', (body: object) => gitea('push', { commits: [], ...body })],
    [
      'GitLab',
      (body: object) =>
        read(
          {
            object_kind: 'push',
            project: { path_with_namespace: 'o/r' },
            user_name: 'ann',
            total_commits_count: 0,
            commits: [],
            ...body,
          },
          { 'x-gitlab-event': 'Push Hook' },
        ),
    ],
  ])('a branch that %s set to an earlier commit was not created', (_where, push) => {
    expect(push({ ref: 'refs/heads/main', before: one, after: two })).toBe('**o/r**: ann set branch `main` to `22222222`');
  });

  it('a push of GitLab shows the created branch or tag', () => {
    const gitlab = (body: object) => read({ object_kind: 'push', user_name: 'ann', ...body }, { 'x-gitlab-event': 'Push Hook' });
    expect(gitlab({ ref: 'refs/heads/new', before: none, after: two, commits: [] })).toBe('ann created branch `new`');
    expect(gitlab({ ref: 'refs/tags/v1', before: none, after: two, commits: [commit] })).toBe('ann created tag `v1`');
    expect(gitlab({ ref: 'refs/tags/v1', before: one, after: two, commits: [commit] })).toBe('ann set tag `v1` to `22222222`');
  });

  it('the subject of a commit is not cut within an emoji', () => {
    const push = { ref: 'refs/heads/main', commits: [{ ...commit, message: `${'a'.repeat(198)}😀 end` }] };
    expect(gitea('push', push)).not.toMatch(/[\ufffd\ud800-\udfff]/u);
  });

  const alerts = [
    { status: 'firing', labels: { alertname: 'Disk', host: 'rabbit', path: '/', grafana_folder: 'x' }, annotations: {} },
  ];

  it('an alert of Grafana has its labels, and the message that somebody has written', () => {
    const shown = read({ status: 'firing', title: '[FIRING:1] Disk', message: 'disk at 6.7%', alerts });
    expect(shown).toBe('🔴 **[FIRING:1] Disk**\n\ndisk at 6.7%\n\n- **Disk** (host: rabbit, path: /) firing');
  });

  it('an alert of Grafana is not repeated by the message that Grafana writes', () => {
    const message = '**Firing**\n\nValue: B=44, C=1\nLabels:\n - alertname = Disk\n';
    expect(read({ status: 'firing', title: 'Disk', message, alerts })).toBe(
      '🔴 **Disk**\n\n- **Disk** (host: rabbit, path: /) firing',
    );
  });

  it("Slack's shape may have its text in rich text alone", () => {
    const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
    const text = (shown: string, style?: object) => ({ type: 'text', text: shown, style });
    const rich = (...elements: object[]) => read({ blocks: [{ type: 'rich_text', elements }] });
    expect(rich(section(text('Hello '), text('World', { bold: true })))).toBe('Hello **World**');
    expect(
      rich(
        section(text('All '), text(' of it ', { italic: true, strike: true }), text('x', { code: true }), text('\n')),
        { type: 'rich_text_list', style: 'ordered', indent: 0, elements: [section(text('one')), section(text('two'))] },
        { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [section(text('in it'))] },
        { type: 'rich_text_quote', elements: [text('a\nb')] },
        { type: 'rich_text_preformatted', elements: [text('code *as* it is')] },
        section({ type: 'link', url: 'https://a.example', text: 'here' }, { type: 'usergroup', usergroup_id: 'S1' }),
      ),
    ).toBe('All  _~~of it~~_ `x`\n1. one\n2. two\n  - in it\n> a\n> b\n```\ncode *as* it is\n```\n[here](https://a.example)@S1');
    expect(read({ text: 'ping <!subteam^S123> now', username: 'x' })).toBe('ping @S123 now');
  });
});
