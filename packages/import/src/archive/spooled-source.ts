import type { ArchiveFile, LeftOut } from '../source.ts';
import type { Archive } from './archive.ts';
import { withoutRoot } from './entries.ts';
import { PostIndex } from './post-index.ts';
import type { Spool } from './spool.ts';

/** A source whose messages stand in other orders than those of rooms: they are read once into a spool, and again from there. */
export abstract class SpooledSource {
  protected readonly archive: Archive;
  /** The folder of the archive that has the files, with its `/`. */
  protected readonly root: string;
  protected readonly spool: Spool;
  protected readonly posts = new PostIndex();
  protected readonly broken: LeftOut[] = [];
  /** What shows that the archive is not whole. */
  cutOff: string | undefined;
  #done = 0;

  constructor(archive: Archive, root: string, spool: Spool) {
    this.archive = archive;
    this.root = root;
    this.spool = spool;
  }

  progress = () => ({ done: this.#done, all: this.posts.count });

  close = async () => {
    await this.spool.close();
    await this.archive.close();
  };

  unreadable = (): LeftOut[] => this.broken;

  unread = (): ArchiveFile[] => withoutRoot(this.archive.unread(), this.root);

  /** Notes a message of a room, to be read with the others. */
  protected addPost(room: string, at: number, bytes: Buffer): void {
    this.posts.add(room, { at, ...this.spool.append(bytes), reply: -1 });
  }

  /** The messages of a room, in the order of their times. */
  protected async *postsOf(room: string): AsyncGenerator<Buffer> {
    for (const { offset, length } of this.posts.of(room)) {
      this.#done++;
      yield await this.spool.read({ offset, length });
    }
  }
}
