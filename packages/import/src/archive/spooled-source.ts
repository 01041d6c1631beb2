import type { ArchiveFile, LeftOut } from '../source.ts';
import type { Archive } from './archive.ts';
import { withoutRoot } from './entries.ts';
import { PostIndex } from './post-index.ts';
import type { Spool } from './spool.ts';

/**
 * A source whose messages are not ordered by room. They are read once into a spool, and then again
 * from there.
 */
export abstract class SpooledSource {
  protected readonly archive: Archive;
  /** The folder in the archive with the files, including its `/`. */
  protected readonly root: string;
  protected readonly spool: Spool;
  protected readonly posts = new PostIndex();
  protected readonly broken: LeftOut[] = [];
  /** The evidence that the archive is incomplete. */
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

  /** Adds a message of a room, to be read later. */
  protected addPost(room: string, at: number, bytes: Buffer): void {
    this.posts.add(room, { at, ...this.spool.append(bytes), reply: -1 });
  }

  /** The messages of a room, ordered by time. */
  protected async *postsOf(room: string): AsyncGenerator<Buffer> {
    for (const { offset, length } of this.posts.of(room)) {
      this.#done++;
      yield await this.spool.read({ offset, length });
    }
  }
}
