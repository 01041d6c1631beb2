import type { Archive } from '../archive/archive.ts';
import type { SourceFile } from '../source.ts';

/**
 * The files that tools have added to an archive of Slack: `__uploads/<id>/<name>`, or
 * `attachments/<id>-<name>` in the channel's folder.
 */
export class SlackUploads {
  readonly #archive: Archive;
  readonly #paths = new Map<string, string>();

  constructor(archive: Archive) {
    this.#archive = archive;
    for (const path of archive.names) {
      const [, upload, attachment] = /(?:^|\/)(?:__uploads\/([^/]+)\/[^/]+|attachments\/([A-Z0-9]+)-[^/]*)$/.exec(path) ?? [];
      const id = upload ?? attachment;
      if (id !== undefined) this.#paths.set(id, path);
    }
  }

  /** The bytes of the file with an id, if the archive contains them. */
  find(id: string | undefined): Pick<SourceFile, 'size' | 'open'> | undefined {
    const path = this.#paths.get(id ?? '');
    if (path === undefined) return undefined;
    return { size: this.#archive.size(path) ?? 0, open: () => this.#archive.stream(path) };
  }
}
