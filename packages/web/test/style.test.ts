import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '../src');
const paths = globSync('**/*.css', { cwd: source });
const first = readFileSync(join(source, 'style/main.css'), 'utf8');
const isFirst = (path: string) =>
  path === 'style/main.css' || first.includes(path.replace(/^style/, '.').replace(/^view/, '../view'));

/** The classes that a stylesheet styles wherever they stand, outside of other rules. */
function classesIn(path: string): Set<string> {
  const text = readFileSync(join(source, path), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
  const classes = new Set<string>();
  const open: string[] = [];
  for (const [, selector = '', end] of text.matchAll(/([^{};]*)([{};])/g)) {
    if (end === '}') open.pop();
    if (end !== '{') continue;
    if (open.every((outer) => outer.startsWith('@')))
      for (const one of selector.split(',')) {
        const [, name] = /^\s*\.([\w-]+)\s*$/.exec(one) ?? [];
        if (name !== undefined) classes.add(name);
      }
    open.push(selector.trim());
  }
  return classes;
}

// Otherwise the look of a screen depends on the screens that were open before.
it('a class that a stylesheet styles which comes later has its style there alone', () => {
  const all = paths.map((path) => [path, classesIn(path)] as const);
  const clashes = all
    .filter(([path]) => !isFirst(path))
    .flatMap(([path, classes]) =>
      all
        .filter(([other]) => other !== path)
        .flatMap(([other, others]) =>
          [...classes].filter((name) => others.has(name)).map((name) => `${name}: ${path}, ${other}`),
        ),
    );
  expect(all.flatMap(([, classes]) => [...classes]).length).toBeGreaterThan(100);
  expect(clashes).toEqual([]);
});
