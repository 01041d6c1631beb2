import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';

/** A place in a file that breaks a rule for prose. */
export type Finding = { pattern: string; place: string; text: string };

/** A piece of prose: a paragraph, a table cell or a string literal. */
type Passage = { file: string; line: number; text: string };

/** The most words of a sentence, and the most columns of a line of prose. */
const maxWords = 30;
const maxColumns = 100;

/** Phrases that make a reader parse a sentence twice. Each is matched against one sentence. */
const phrases: Record<string, RegExp> = {
  'relative opening': /^(?:What|Who|Whose|Which|Where there|Does so|The same|Also of|As of)\s(?!.*\?$)/,
  'is no': /\b(?:is|are|has|have) (?:no|none)\b/i,
  'by which': /\b(?:by|to|of|with) (?:which|whom)\b/i,
  'is told': /\b(?:(?:is|are) told|tells? of)\b/i,
  'those who': /\bthose who\b/i,
  'what is': /\bwhat (?:is|was|has|had)\b(?!.*\?$)/i,
  'one as a person':
    /(?<!\b(?:the|this|that|each|every|new|old|other|another|any|no|own|an?|earlier|later|first|second|last|next|only|same) )\bone(?:'s| (?:can|may|must|who|wants|sees))\b/i,
  'odd word': /\b(?:whoever|anew|as ever|from when on|any more|no more(?!( \w+){0,2} than))\b/i,
};

/** Participles as the name of a type, instead of a noun. */
const participle = /^[A-Z][a-z]*(?:ed|ing|own|ept|ade|aid|old|ound|[sw]ent)$/;
const nouns = ['Background', 'Beginning', 'Encoding', 'Setting', 'Thing', 'Upgrade'];

/**
 * Files that are generated, contain texts in many languages or texts that users type, or name the
 * phrases themselves.
 */
const excluded =
  /node_modules|\/dist\/|^packages\/client\/src\/contract\.ts|^packages\/rules\/test\/texts\.ts|tabs\.ci\.test\.ts|^test\/corpora\/|^test\/support\/prose\.ts/;
const generatedPages = ['docs/api.md', 'docs/settings.md'];
const folders = '{admin,functions,hosts,lib,packages,test,tools}';

const filesOf = (...patterns: string[]) =>
  globSync(patterns, { exclude: (path) => path.includes('node_modules') })
    .filter((path) => !excluded.test(path))
    .sort();

/**
 * The parts of the repository whose prose is counted, each with a function that finds what breaks a
 * rule.
 */
export const parts: Record<string, () => Finding[]> = {
  docs: () =>
    filesOf('*.md', 'docs/*.md', 'packages/*/README.md', '.github/*.md')
      .filter((file) => !generatedPages.includes(file))
      .flatMap((file) => {
        const page = readFileSync(file, 'utf8');
        return [...paragraphsOf(file, page).flatMap(breaches), ...longLines(file, page)];
      }),
  'strings of the page': () =>
    filesOf('packages/web/src/i18n/strings*.ts')
      .filter((file) => !/-(ar|de)\.ts$/.test(file))
      .flatMap((file) => stringsOf(file).flatMap(breaches)),
  'strings of the service': () =>
    filesOf('{admin,functions,hosts,lib}/**/*.ts', 'tools/openapi/**/*.ts').flatMap((file) => stringsOf(file).flatMap(breaches)),
  comments: () => sources().flatMap((file) => commentsOf(file).flatMap(breaches)),
  'long comment lines': () => sources().flatMap(longCommentLines),
  types: () =>
    sources()
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/^(?:export )?type (\w+)/gm)]
          .map(({ 1: name = '', input, index }) => ({ name, line: lineAt(input, index) }))
          .filter(({ name }) => participle.test(name) && !nouns.includes(name))
          .map(({ name, line }) => ({ pattern: 'participle', place: `${file}:${line}`, text: name })),
      ),
};

const sources = () => filesOf(`${folders}/**/*.{ts,tsx,js,css}`, '*.{ts,yml,yaml}', '.github/**/*.yml');

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;

/** The rules that a passage breaks, sentence by sentence. */
export function breaches({ file, line, text }: Passage): Finding[] {
  const plain = text
    .replaceAll(/`[^`]*`/g, 'Code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain.split(/(?<=[.!?])["')]? (?=["'(]?[A-Z])/).flatMap((sentence) => {
    const found = Object.entries(phrases).flatMap(([pattern, phrase]) => (phrase.test(sentence) ? [pattern] : []));
    if (sentence.split(' ').length > maxWords) found.push('long sentence');
    return found.map((pattern) => ({ pattern, place: `${file}:${line}`, text: sentence }));
  });
}

/** The paragraphs, headings, list items and table cells of a page, without its blocks of code. */
function paragraphsOf(file: string, page: string): Passage[] {
  const passages: Passage[] = [];
  const withoutCode = page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, (block) => block.replaceAll(/[^\n]/g, ''));
  let current: Passage | undefined;
  for (const [index, line] of withoutCode.split('\n').entries()) {
    const cells = line.startsWith('|') ? line.split(/(?<!\\)\|/) : [];
    const starts = /^\s*(?:#+|[-*]|\d+\.)\s/.test(line);
    if (line.trim() === '' || starts || cells.length > 0) current = undefined;
    for (const text of cells) passages.push({ file, line: index + 1, text });
    if (line.trim() === '' || cells.length > 0) continue;
    const text = line.replace(/^\s*(?:#+|[-*]|\d+\.|>)\s/, '');
    if (current) current.text += ` ${text}`;
    else {
      current = { file, line: index + 1, text };
      passages.push(current);
    }
    if (line.startsWith('#')) current = undefined;
  }
  return passages;
}

/** Lines of a page that are too wide. Tables, code and single words cannot be wrapped. */
const longLines = (file: string, page: string): Finding[] =>
  page
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .flatMap((text, index) =>
      text.length > maxColumns &&
      !text.startsWith('|') &&
      / /.test(text.replaceAll(/`[^`]*`|^ *[-*] |\[[^\]]*\]\([^)]*\)/g, '').trim())
        ? [{ pattern: 'long line', place: `${file}:${index + 1}`, text }]
        : [],
    );

/** The comments of a source. Comments on successive lines are one passage. */
function commentsOf(file: string): Passage[] {
  const source = readFileSync(file, 'utf8');
  return commentRanges(file, source).flatMap(({ start, end }) => {
    const text = source.slice(start, end).replaceAll(/^\s*(?:\/\*+|\/\/|#+|\*(?!\/))|\*\/$/gm, '');
    return text
      .split(/\n\s*\n|\n\s*[-@]/)
      .map((paragraph) => ({ file, line: lineAt(source, start), text: paragraph }))
      .filter((passage) => !/^\s*(?:biome-ignore|@ts-|!)/.test(passage.text));
  });
}

function commentRanges(file: string, source: string): { start: number; end: number }[] {
  const found = /\.(tsx?|js)$/.test(file)
    ? parseSync(file, source).comments
    : [...source.matchAll(file.endsWith('.css') ? /\/\*[\s\S]*?\*\//g : /(?<=^\s*)#.*$/gm)].map(({ 0: text, index }) => ({
        start: index,
        end: index + text.length,
      }));
  const ranges: { start: number; end: number }[] = [];
  for (const { start, end } of found) {
    const last = ranges.at(-1);
    if (last && /^\s*$/.test(source.slice(last.end, start)) && !/\n\s*\n/.test(source.slice(last.end, start))) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

/** Lines that consist of a comment and are too wide. */
const longCommentLines = (file: string): Finding[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      line.length > maxColumns && /^\s*(?:\/\/|\/?\*|# )/.test(line)
        ? [{ pattern: 'long line', place: `${file}:${index + 1}`, text: line.trim() }]
        : [],
    );

/** The literals of a source that have three words or more. */
function stringsOf(file: string): Passage[] {
  const source = readFileSync(file, 'utf8');
  const passages: Passage[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (Array.isArray(node) || typeof node !== 'object' || node === null) return;
    const { type, value, start, quasis, expressions } = node as Record<string, unknown>;
    const text =
      type === 'TemplateLiteral'
        ? (quasis as { value: { cooked: string } }[]).map((quasi) => quasi.value.cooked).join('X')
        : type === 'Literal' && typeof value === 'string'
          ? value
          : '';
    if (/\w \w+ \w/.test(text) && !/[{;]\s[\w-]+: [^;{}]+;|<svg/.test(text))
      for (const paragraph of text.replaceAll(/<[^>]*>/g, '\n\n').split(/\n\s*\n|\n\s*- /))
        passages.push({ file, line: lineAt(source, start as number), text: paragraph });
    if (type === 'TemplateLiteral') visit(expressions);
    else Object.values(node).forEach(visit);
  };
  visit(parseSync(file, source).program.body);
  return passages;
}
