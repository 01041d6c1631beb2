import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync('docs').map((file) => `docs/${file}`),
  ...readdirSync('packages').map((name) => `packages/${name}/README.md`),
].filter((path) => path.endsWith('.md') && existsSync(path));

/**
 * The commands of a page: its shell examples, without their standard input, and its inline code.
 */
const commandsIn = (page: string) => [
  ...[...page.matchAll(/^```(?:sh|bash|shell|console)(?: .*)?\n([\s\S]*?)\n```$/gm)].flatMap(([, code = '']) =>
    code
      .replaceAll(/<<'END'\n[\s\S]*?\nEND$/gm, '')
      .replaceAll('\\\n', '')
      .split('\n'),
  ),
  ...[...page.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
];

/** Secrets in arguments, which other users of the machine and the shell's history can see. */
const secrets = [
  /\s--?(password|token|secret)[ =]/,
  /\s(-H|--header)[ =]?["']?X-Auth-Token/i,
  /\s["']?mongodb(\+srv)?:\/\/[^\s/@]*@/,
  /\bMONGODB_URI=["']?mongodb/,
  /password":/,
];

const withSecrets = (commands: string[]) => commands.filter((command) => secrets.some((secret) => secret.test(command)));

describe('the documented commands', () => {
  it.each(pages)('the documented commands of %s have no secret among their arguments', (path) => {
    expect(withSecrets(commandsIn(readFileSync(path, 'utf8')))).toEqual([]);
  });

  it('the documented commands are found if they have a secret among their arguments', () => {
    const found = [
      'npm run conformance -- http://localhost:3000 --token x',
      'atlas dbusers create --username chat --password "$(openssl rand -hex 24)"',
      'curl -s "$API/api/rooms" -H "X-Auth-Token: $ANN"',
      `curl -s "$API/api/sessions" -d '{"username":"bob","password":"a horse, a battery"}'`,
      "aws ssm put-parameter --value 'mongodb+srv://chat:secret@chat.abcde.mongodb.net/' --type String",
      'mongosh mongodb://chat:secret@localhost:27017/',
      "MONGODB_URI='mongodb+srv://...' npm run --silent admin -- import chat.ndjson",
    ];
    const page = `\`\`\`sh\n${found.slice(1).join('\n')}\n\`\`\`\nSee \`${found[0]}\`.\n`;
    expect(withSecrets(commandsIn(page)).sort()).toEqual(found.sort());
  });
});

it('each promise of docs/security.md names a test that exists', () => {
  const named = [...readFileSync('docs/security.md', 'utf8').matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (path: string): string[] =>
  [...withoutBlocks(readFileSync(path, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

const withoutBlocks = (page: string) => page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

it.each(pages)('the links of %s lead to files and headings that exist', (path) => {
  const links = [...withoutBlocks(readFileSync(path, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    return !existsSync(target) || (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor));
  });
  expect(broken).toEqual([]);
});
