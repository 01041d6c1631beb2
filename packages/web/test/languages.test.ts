import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { webPage } from '../../../lib/reference/web-page.ts';
import { readConfig } from '../../../lib/settings/config.ts';
import { languages } from '../../../lib/settings/setting-rules.ts';
import { readSetting } from '../../../lib/settings/settings.ts';
import { languageFor, localeOf } from '../src/i18n/languages.ts';
import { strings } from '../src/i18n/strings.ts';
import { laterStrings } from '../src/i18n/strings-later.ts';
import { pushStrings } from '../src/i18n/strings-push.ts';
import type { Words } from '../src/i18n/words.ts';

const source = join(import.meta.dirname, '../src');
const english: Words = { strings, laterStrings, pushStrings };
const others = languages.filter((language) => language !== 'en');

/**
 * Every word below an object, by its path. Arrays count as objects: the emoji have as many groups
 * in every language.
 */
function walk(words: unknown, path = ''): [path: string, word: unknown][] {
  if (typeof words !== 'object' || words === null) return [[path, words]];
  return Object.entries(words).flatMap(([key, word]) => walk(word, `${path}.${key}`));
}

const wordsOf = async (language: string): Promise<Words> =>
  language === 'en' ? english : ((await import(`../src/i18n/strings-${language}.ts`)) as Words);

describe('every language', () => {
  it('every language that may be set has a file, and every file can be set', () => {
    const files = readdirSync(join(source, 'i18n')).map((file) => /^strings-(\w\w)\.ts$/.exec(file)?.[1]);
    expect(files.filter(Boolean).sort()).toEqual([...others].sort());
  });

  it.each(others)('a language has strings and functions wherever English has them: %s', async (language) => {
    const shapeOf = ({ strings, laterStrings, pushStrings }: Words) =>
      walk({ strings, laterStrings, pushStrings })
        .map(([path, word]) => `${path}: ${typeof word}`)
        .sort();
    expect(shapeOf(await wordsOf(language))).toEqual(shapeOf(english));
  });

  it.each(languages)('a language has no empty string, and says something of every number: %s', async (language) => {
    const empty = walk(await wordsOf(language)).flatMap(([path, word]) =>
      samplesOf(path, word).flatMap(([given, said]) => (isFine(said) ? [] : [`${path}(${given}): ${said}`])),
    );
    expect(empty).toEqual([]);
  });

  it.each(others)('a language has words of its own for nearly all of the English ones: %s', async (language) => {
    const own = new Map(walk(await wordsOf(language)));
    const sentences = walk(english).filter(([, word]) => typeof word === 'string' && /\p{L} \p{L}/u.test(word));
    expect(sentences.length).toBeGreaterThan(200);
    // A command, and keys.
    const same = sentences.filter(([path, word]) => own.get(path) === word).map(([path]) => path);
    expect(same.filter((path) => !/\.(command|keys\.\d+\.0)$/.test(path))).toEqual([]);
  });

  it('every language has the plurals of its grammar', async () => {
    const said = async (language: string) => [0, 1, 2, 3, 11, 100].map((await wordsOf(language)).strings.directory.members);
    expect([await said('en'), await said('de'), await said('ar')]).toEqual([
      ['0 members', '1 member', '2 members', '3 members', '11 members', '100 members'],
      ['0 Mitglieder', '1 Mitglied', '2 Mitglieder', '3 Mitglieder', '11 Mitglieder', '100 Mitglieder'],
      ['لا أعضاء', 'عضو واحد', 'عضوان', '3 أعضاء', '11 عضوًا', '100 عضو'],
    ]);
  });
});

const isFine = (said: unknown) => typeof said === 'string' && said.trim() !== '' && !/undefined|NaN|\[object|#/.test(said);

/** The functions that take a list of names. */
const ofNames = ['.strings.room.typing'];

/** The outputs of a text; if it is a function, for each number, or for a few names. */
function samplesOf(path: string, word: unknown): [given: string, said: unknown][] {
  if (typeof word !== 'function') return [['', word]];
  return [0, 1, 2, 3, 11, 100].map((number) => {
    const names = Array.from({ length: number }, (_, at) => `name ${at}`);
    return [String(number), ofNames.includes(path) ? word(names) : word(number, number, number, number)];
  });
}

describe('the language of a page', () => {
  it.each([
    ['is the own choice', 'ar', ['de-DE', 'en'], 'en,de,ar', 'ar'],
    ['is the first that the browser asks for where nothing was chosen', undefined, ['fr-FR', 'de-AT', 'en'], 'en,de,ar', 'de'],
    ['is not a chosen one that the service does not allow', 'ar', ['de-DE'], 'en,de', 'de'],
    ['is not one of the browser that the service does not allow', undefined, ['de-DE', 'en'], 'en,ar', 'en'],
    ['is the first that the service allows where the browser asks for none of them', undefined, ['fr'], 'de,en', 'de'],
    ['is not what a browser has kept that is no language', 'constructor', ['de'], 'en,de', 'de'],
  ] as const)('the language of a page %s', (_title, own, asked, allowed, expected) => {
    expect(languageFor(own, asked, readSetting('LANGUAGES', { LANGUAGES: allowed }))).toBe(expected);
  });
});

describe('numbers and dates', () => {
  it.each([
    ['are written as in the region that the browser names with the language', 'de', ['en-GB', 'de-AT'], 'de-AT'],
    ['are written as in the language where the browser asks for others', 'ar', ['en-GB'], 'ar'],
    ['are written as in a region that can be read, if there is one', 'en', ['en-US@posix', 'en-GB'], 'en-GB'],
    ['are written as in the language where no region can be read', 'en', ['en-US@posix'], 'en'],
  ] as const)('numbers and dates %s', (_title, language, asked, expected) => {
    expect(localeOf(language, asked)).toBe(expected);
  });
});

describe('the page that the service sends', () => {
  it('the page lists the languages in which it may be shown, in the order of LANGUAGES', () => {
    const { source } = webPage('<!--settings-->', readConfig({ LANGUAGES: 'ar,en' }));
    expect(source).toContain('&quot;languages&quot;:[&quot;ar&quot;,&quot;en&quot;]');
  });
});

type Node = { type: string; start: number; [key: string]: unknown };

const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/^(strings|words|translate)/.test(file))
  .map((file) => ({ file, text: readFileSync(join(source, file), 'utf8') }));

/** The nodes that `find` returns for the syntax tree of each source, with their places. */
const inSources = (find: (node: Node, isLate: boolean) => readonly Node[]) =>
  sources.flatMap(({ file, text }) => {
    const lang = file.endsWith('x') ? 'tsx' : 'ts';
    return search(parseAst(text, { lang }) as unknown as Node, find).map(
      ({ start }) => `${file}:${text.slice(0, start).split('\n').length}`,
    );
  });

/** Looks at every node below one; `isLate` is whether it is within a function. */
function search(node: Node, find: (node: Node, isLate: boolean) => readonly Node[], isLate = false): Node[] {
  const within = isLate || /Function/.test(node.type);
  const below = Object.values(node)
    .flat()
    .filter((child): child is Node => typeof (child as Node | null)?.type === 'string');
  return [...find(node, isLate), ...below.flatMap((child) => search(child, find, within))];
}

const hasLetters = (text: unknown) => typeof text === 'string' && /\p{L}{2}/u.test(text);

/** The literal texts that an expression may result in. */
function literalsOf(node: Node | null): Node[] {
  if (!node) return [];
  if (node.type === 'Literal') return hasLetters(node.value) ? [node] : [];
  if (node.type === 'TemplateLiteral')
    return (node.quasis as (Node & { value: { cooked: string } })[]).filter(({ value }) => hasLetters(value.cooked));
  const results = ['expression', 'consequent', 'alternate', 'right', 'left'].map((key) => node[key] as Node | undefined);
  return /^(ConditionalExpression|LogicalExpression|JSXExpressionContainer)$/.test(node.type)
    ? results.flatMap((result) => literalsOf(result ?? null))
    : [];
}

/** Attributes that people read or hear. */
const told = ['alt', 'aria-description', 'aria-label', 'hint', 'label', 'placeholder', 'submit', 'title'];
const telling = ['announce', 'confirmed', 'notice', 'openDialog', 'openMessage', 'setCustomValidity'];

/** The name of what a node takes something from. */
function nameRead(node: Node): string {
  const from = node.type === 'MemberExpression' ? node.object : node.type === 'VariableDeclarator' ? node.init : undefined;
  return String((from as Node | null | undefined)?.name);
}

describe('the sources of the page', () => {
  it('the sources of the page have no words outside of the files of strings', () => {
    const found = inSources((node) => {
      if (node.type === 'JSXText') return hasLetters(node.value) ? [node] : [];
      if (node.type === 'JSXElement' || node.type === 'JSXFragment')
        return (node.children as Node[]).flatMap((child) => (child.type === 'JSXExpressionContainer' ? literalsOf(child) : []));
      if (node.type === 'JSXAttribute')
        return told.includes(String((node.name as Node).name)) ? literalsOf(node.value as Node | null) : [];
      if (node.type !== 'CallExpression') return [];
      const { name, property } = node.callee as { name?: string; property?: { name: string } };
      return telling.includes(name ?? property?.name ?? '') ? (node.arguments as Node[]).flatMap(literalsOf) : [];
    });
    expect(found).toEqual([]);
  });

  it('the sources of the page read strings only within functions: before the page is drawn, they are English', () => {
    const reads = (isWanted: (isLate: boolean) => boolean) =>
      inSources((node, isLate) =>
        /^(strings|laterStrings|pushStrings)$/.test(nameRead(node)) && isWanted(isLate) ? [node] : [],
      );
    expect(reads((isLate) => isLate).length).toBeGreaterThan(300);
    expect(reads((isLate) => !isLate)).toEqual([]);
  });
});
