import { describe, expect, it } from 'vitest';
import { Operation } from '../src/operation.ts';
import { createCursors, documentsOf } from '../src/sessions/cursors.ts';

const namespace = 'test.things';
const hour = 3_600_000;

const opened = () => {
  const cursors = createCursors();
  const open = (session?: string) =>
    cursors.open({
      namespace,
      documents: documentsOf([new Uint8Array(5), new Uint8Array(5)].values()),
      collection: undefined,
      session,
      operation: new Operation(),
    });
  return { cursors, open };
};

describe('a cursor', () => {
  it('expires when nobody has used it for a while, and not while a command reads from it', () => {
    const { cursors, open } = opened();
    const [idle, inUse] = [open(), open()];
    cursors.take(inUse.id, namespace);
    cursors.expire(Date.now() + hour);
    expect([idle.isClosed, inUse.isClosed]).toEqual([true, false]);
    expect(inUse.documents.peek().done).not.toBe(true);
    cursors.giveBack(inUse);
    cursors.expire(Date.now() + hour);
    expect(inUse.isClosed).toBe(true);
  });

  it('counts as used until the end of a long batch', () => {
    const { cursors, open } = opened();
    const cursor = cursors.take(open().id, namespace);
    cursor.used = Date.now() - hour;
    cursors.giveBack(cursor);
    cursors.expire();
    expect(cursor.isClosed).toBe(false);
  });

  it('gives way to newer ones when there are too many, and not while a command reads from it', () => {
    const { cursors, open } = opened();
    const inUse = cursors.take(open().id, namespace);
    const idle = open();
    for (let count = 2; count < 1_001; count++) open();
    expect(cursors.size).toBe(1_000);
    expect([inUse.isClosed, idle.isClosed]).toEqual([false, true]);
  });

  it('that its session ends while a command reads from it says so', () => {
    const { cursors, open } = opened();
    const cursor = cursors.take(open('one').id, namespace);
    cursors.endSession('one');
    expect(cursor.isClosed).toBe(true);
  });
});
