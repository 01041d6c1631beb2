import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { contract } from '../../support/contract.ts';

const sources = ['lib', 'functions'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
);

/** The sentences of refusals, without those that are generated from the rule of a parameter. */
const sentences = Object.values(contract.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ responses }) => Object.entries(responses))
  .filter(([status]) => /^4(01|03|04|09|10|13)$/.test(status))
  .flatMap(([, { description = '' }]) => description.split(' / '))
  .map((sentence) => sentence.replace(/^`\w+`: /, ''))
  .filter((sentence) => !Object.values(contract.components.responses).some(({ description }) => description === sentence));

/**
 * The part of a sentence that is in the source: all of it, the call that creates it, or the fixed
 * part of a template.
 */
function statementOf(sentence: string): string {
  const [, thing] = /^No such (\w+)\.$/.exec(sentence) ?? [];
  if (thing) return `notFound('${thing}')`;
  const [templated] = /^The token lacks the '|^The body must not exceed | different reactions already\.$/.exec(sentence) ?? [];
  return templated ?? sentence;
}

it.each([...new Set(sentences)])('a sentence of the contract is in the source once: %s', (sentence) => {
  const statement = statementOf(sentence);
  expect(sources.reduce((count, source) => count + source.split(statement).length - 1, 0)).toBe(1);
});
