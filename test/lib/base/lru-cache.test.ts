import { describe, expect, it } from 'vitest';
import { LruCache } from '../../../lib/base/lru-cache.ts';

describe('an LRU cache', () => {
  it('an LRU cache has a limited number of entries, and drops the least recently used one first', () => {
    const recent = new LruCache<number>(2);
    recent.set('a', 1);
    recent.set('b', 2);
    recent.set('a', 3);
    recent.set('c', 4);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([3, undefined, 4]);
  });

  it('an LRU cache limits its total weight after any replacement or removal', () => {
    const recent = new LruCache<string>(10, 5, ({ length }) => length);
    recent.set('a', 'four');
    recent.set('a', 'x');
    recent.set('b', 'four');
    expect(recent.get('a')).toBe('x');
    recent.delete('b');
    recent.delete('b');
    recent.set('c', 'four');
    expect(['a', 'c'].map((key) => recent.get(key))).toEqual(['x', 'four']);
    recent.set('d', 'xx');
    expect(['a', 'c', 'd'].map((key) => recent.get(key))).toEqual([undefined, undefined, 'xx']);
    recent.set('e', 'too long');
    expect(recent.get('e')).toBeUndefined();
  });
});
