import { describe, expect, it } from 'vitest';
import { blocksOf, commandsMarked, marks, pages, titleOf } from '../support/document-blocks.ts';
import { runCommand } from '../support/run-command.ts';

const all = pages.flatMap(blocksOf);

describe('the blocks of commands in the documentation', () => {
  it('the blocks of commands in the documentation say where they are run, or that they need an account', () => {
    const blocks = all.filter(({ language }) => ['sh', 'bash', 'shell', 'console'].includes(language));
    expect(blocks.length).toBeGreaterThan(15);
    expect(blocks.filter(({ language, mark }) => language !== 'sh' || !Object.hasOwn(marks, mark)).map(titleOf)).toEqual([]);
  });

  it('the blocks of commands in the documentation are all marked as commands', () => {
    const others = all.filter(({ language }) => !['sh', 'ts', 'json', 'nginx', 'caddy'].includes(language));
    const isCommand = /^\s*(\$ |sudo |npm|npx|node|curl|docker|git|systemctl|aws|atlas)\b/m;
    expect(others.filter(({ code }) => isCommand.test(code)).map(titleOf)).toEqual([]);
  });

  it.each(commandsMarked('aws', 'docker').map((block) => [titleOf(block), block] as const))(
    'the blocks of commands that need an account are valid commands: %s',
    async (_title, { code }) => {
      // Placeholders for the reader's values are not redirections.
      const script = code.replaceAll(/<(\w[\w ]*)>/g, '$1');
      expect(await runCommand(['bash', '-n'], { input: script })).toEqual({ code: 0, stdout: '', stderr: '' });
    },
  );
});
