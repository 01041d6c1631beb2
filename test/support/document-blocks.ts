import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The pages whose commands people type. `docs/api.md` has the calls of the walkthrough, which the tests of the contract make. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...['self-hosting', 'operating', 'deploying'].map((name) => `docs/${name}.md`),
  ...readdirSync('docs')
    .map((file) => `docs/${file}`)
    .filter((path) => path.endsWith('.md') && !/(api|self-hosting|operating|deploying)\.md$/.test(path)),
  ...readdirSync('packages').map((name) => `packages/${name}/README.md`),
].filter((path) => existsSync(path));

/**
 * Where a block of commands is run, which the page's source says after its language, as in "```sh clone"; readers do not see that word.
 * `never` needs an account or a machine that no test has: its syntax is checked.
 */
export const marks = {
  /** In a clean clone: by `npm run test:ci` over the packages that are installed, by `npm run test:docs -- all` after a real `npm ci` by the oldest Node.js. */
  clone: 'clone',
  /** The same with Node.js 24 itself. */
  node24: 'clone',
  /** The same, only by `npm run test:docs -- all`, because it downloads. */
  registry: 'clone',
  /** The same, up to the packaged template. */
  template: 'clone',
  /** As root of a Debian that systemd has started. */
  systemd: 'systemd',
  /** Over an image that buildah has built. */
  container: 'container',
  /** By `test/docs/webhooks.ci.test.ts`, with the address of a webhook in `WEBHOOK`. */
  webhook: 'webhook',
  /** Needs an account of AWS or of Atlas. */
  aws: 'never',
  /** Needs Docker itself, and an image of MongoDB. */
  docker: 'never',
} as const;
export type Mark = keyof typeof marks;

/** One block of a page. */
export type Block = {
  page: string;
  line: number;
  language: string;
  mark: string;
  code: string;
  /** The JSON that stands right after it as its output. */
  output: unknown;
};

/** Every block of a page, in its order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(({ 1: info = '', 2: code = '', index }) => {
    const [language = '', mark = ''] = info.split(' ');
    const after = /^\n\n```json\n([\s\S]*?)^```$/m.exec(text.slice(index + info.length + code.length + 7));
    return {
      page,
      line: text.slice(0, index).split('\n').length,
      language,
      mark,
      code,
      output: after?.index === 0 ? JSON.parse(after[1] ?? '') : undefined,
    };
  });
}

/** The blocks of commands with these marks, in the order in which a reader meets them. */
export const commandsMarked = (...wanted: Mark[]): Block[] =>
  pages.flatMap(blocksOf).filter(({ language, mark }) => language === 'sh' && (wanted as string[]).includes(mark));

/** Where a block is, for the title of its test. */
export const titleOf = ({ page, line, code }: Block): string => `${page}:${line}: ${code.trim().split('\n')[0]}`;
