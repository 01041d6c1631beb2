import { createLowlight } from 'lowlight';

/** A piece of code: text, possibly of a kind with a colour; pieces may be nested. */
export type CodePiece = string | { kind: string; pieces: CodePiece[] };

type Load = () => Promise<{ default: Parameters<ReturnType<typeof createLowlight>['register']>[1] }>;

/** The languages with syntax colours. Each is loaded when its first code block is shown. */
const languages: Record<string, Load> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

/** Other names that people write after the fence. */
const aliases: Record<string, string> = {
  'c++': 'cpp',
  cjs: 'javascript',
  cs: 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  h: 'c',
  hpp: 'cpp',
  html: 'xml',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** Longer code stays uncoloured: colouring takes longer than people look. */
const longest = 20_000;

const lowlight = createLowlight();

/**
 * The pieces of a code by their kinds; undefined if the language is unknown or the code too long.
 */
export async function colour(code: string, language: string): Promise<CodePiece[] | undefined> {
  const asked = language.toLowerCase();
  const name = aliases[asked] ?? asked;
  if (!Object.hasOwn(languages, name) || code.length > longest) return undefined;
  if (!lowlight.registered(name)) lowlight.register(name, (await (languages[name] as Load)()).default);
  return lowlight.highlight(name, code).children.map(pieceOf);
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

function pieceOf(node: Node): CodePiece {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return '';
  const [first] = (node.properties.className as string[] | undefined) ?? [];
  return { kind: kinds[first?.replace('hljs-', '') ?? ''] ?? '', pieces: node.children.map(pieceOf) };
}

/** By the library's names, the few kinds that have a colour. */
const kinds: Record<string, string> = {
  addition: 'added',
  attr: 'name',
  attribute: 'name',
  built_in: 'name',
  comment: 'comment',
  deletion: 'removed',
  keyword: 'keyword',
  literal: 'number',
  meta: 'comment',
  name: 'keyword',
  number: 'number',
  property: 'name',
  quote: 'comment',
  regexp: 'string',
  section: 'title',
  'selector-class': 'title',
  'selector-id': 'title',
  'selector-tag': 'keyword',
  string: 'string',
  symbol: 'number',
  tag: 'keyword',
  'template-variable': 'name',
  title: 'title',
  type: 'title',
  variable: 'name',
};
