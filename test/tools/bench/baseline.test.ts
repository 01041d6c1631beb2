import { describe, expect, it } from 'vitest';
import { baselineOf, isSlower, tolerance } from '../../../tools/bench/baseline.ts';
import { type Figure, reachesGoal } from '../../../tools/bench/figure.ts';
import { tableOf } from '../../../tools/bench/table.ts';

const aFigure = (fields: Partial<Figure> = {}): Figure => ({ name: 'a page', unit: 'ms', value: 12, reference: 10, ...fields });
const worse = 12 * tolerance.time * 1.1;

describe('a figure', () => {
  it.each<[string, Partial<Figure>, boolean | undefined]>([
    ['has no goal', {}, undefined],
    ['has a value that is small enough', { goal: { of: 'value', atMost: 12 } }, true],
    ['has a value that is too large', { goal: { of: 'value', atMost: 11 } }, false],
    ['has a ratio that is small enough', { goal: { of: 'ratio', atMost: 1.2 } }, true],
    ['has a ratio that is too large', { goal: { of: 'ratio', atMost: 1.1 } }, false],
    ['has a rate that is large enough', { unit: 'per second', goal: { of: 'ratio', atLeast: 1.2 } }, true],
    ['has a rate that is too small', { unit: 'per second', goal: { of: 'ratio', atLeast: 1.3 } }, false],
  ])('a figure is compared with its goal: it %s', (_what, fields, expected) => {
    expect(reachesGoal(aFigure(fields))).toBe(expected);
  });
});

describe('the baseline', () => {
  it('the baseline has ratios, and no times', () => {
    const { reference: _, ...time } = aFigure({ name: 'a time' });
    expect(baselineOf([aFigure(), time, aFigure({ name: 'p99', isUnsteady: true })])).toEqual({ 'a page': 1.2 });
  });

  it.each<[string, Partial<Figure>, boolean]>([
    ['a machine that is half as fast', { value: 24, reference: 20 }, false],
    ['a ratio that is a little worse', { value: 13 }, false],
    ['a ratio that is much worse', { value: worse }, true],
    ['a ratio that is much better', { value: 6 }, false],
    ['a figure that was not there', { name: 'another', value: worse }, false],
  ])('the baseline decides whether there is a slowdown in %s', (_what, fields, expected) => {
    const baseline = baselineOf([aFigure()]);
    const figure = aFigure(fields);
    expect(isSlower(figure, baseline[figure.name])).toBe(expected);
  });

  it('the baseline treats a higher rate as better, and tolerates more', () => {
    const rate = aFigure({ unit: 'per second' });
    const baseline = baselineOf([rate])['a page'];
    expect([24, 8, 5].map((value) => isSlower({ ...rate, value }, baseline))).toEqual([false, false, true]);
  });

  it('the baseline is printed beside each ratio, with the slowdown', () => {
    expect(tableOf([aFigure({ value: 24 })], { 'a page': 1.2 })).toContain('1.2 2.00 x SLOWER');
    expect(tableOf([aFigure()], { 'a page': 1.2 })).not.toContain('SLOWER');
  });
});
