import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * The pages with commands for readers. The calls of the walkthrough in `docs/api.md` are tested
 * with the contract.
 */
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
 * The environment of a command block. A page's source states it after the language, as in
 * "```sh clone", which readers do not see. A block marked `never` needs an account or a machine
 * that tests do not have, so only its syntax is checked.
 */
export const marks = {
  /**
   * In a clean clone. `npm run test:ci` uses the installed packages. `npm run test:docs -- all`
   * runs a real `npm ci` with the oldest Node.js first.
   */
  clone: 'clone',
  /** In a clone, with Node.js 24 itself. */
  node24: 'clone',
  /** In a clone, only by `npm run test:docs -- all`, because it downloads. */
  registry: 'clone',
  /** In a clone, up to the packaged template. */
  template: 'clone',
  /** As root of a Debian that systemd has started. */
  systemd: 'systemd',
  /** On an image that buildah has built. */
  container: 'container',
  /** By `test/docs/webhooks.ci.test.ts`, with the address of a webhook in `WEBHOOK`. */
  webhook: 'webhook',
  /** By `test/docs/asking.ci.test.ts`, with `API`, and the `ROOM` and `bot.token` of a bot. */
  bot: 'bot',
  /** Needs an account of AWS or Atlas. */
  aws: 'never',
  /** Needs Docker itself, and an image of MongoDB. */
  docker: 'never',
} as const;
export type Mark = keyof typeof marks;

/** A block of a page. */
export type Block = {
  page: string;
  line: number;
  language: string;
  mark: string;
  code: string;
  /** The expected output, from the JSON block after it. */
  output: unknown;
};

/** All blocks of a page, in order. */
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

/** The blocks of commands with these marks, in the order of the pages. */
export const commandsMarked = (...wanted: Mark[]): Block[] =>
  pages.flatMap(blocksOf).filter(({ language, mark }) => language === 'sh' && (wanted as string[]).includes(mark));

/** The place of a block, for the title of its test. */
export const titleOf = ({ page, line, code }: Block): string => `${page}:${line}: ${code.trim().split('\n')[0]}`;
