import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';
import { otherFunctions, functions as withPath } from '../../tools/harness/functions.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const functions = [...withPath, ...otherFunctions].map(({ file }) => file).filter((file) => file.startsWith('functions/'));

/** A function as it would be deployed. */
export type PackagedFunction = {
  name: string;
  /** The directory of its unpacked archive, and its code in it. */
  directory: string;
  bundle: string;
};

/**
 * Packages functions like `serverless deploy`, without credentials. The template of all functions
 * is in the subdirectory `packages`.
 */
export async function packageFunctions(
  directory: string,
  settings: Readonly<Record<string, string | undefined>> = {},
  files = functions,
): Promise<PackagedFunction[]> {
  const credentials = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_PROFILE: undefined };
  // Local values may not be allowed in a deployment.
  const environment = { ...process.env, ...credentials, SMTP_URL: undefined, SECRET_KEY: undefined, FILES: undefined };
  const options = {
    cwd: await linkProject(join(directory, 'project'), files),
    env: { ...environment, HOME: directory, TMPDIR: directory, ...settings },
  };
  await promisify(execFile)('serverless', ['package', '--package', join(directory, 'packages')], options);
  const archives = (await readdir(join(directory, 'packages'))).filter(
    (file) => file.endsWith('.zip') && file !== 'source-maps.zip',
  );
  return Promise.all(
    archives.map(async (archive) => {
      const name = archive.replace(/\.zip$/, '');
      const files = await unpack(join(directory, 'packages', archive), join(directory, name));
      return { name, directory: join(directory, name), bundle: files.find((file) => file.endsWith('.mjs')) ?? '' };
    }),
  );
}

/** Unpacks an archive into a directory. Returns the paths of its files. */
export async function unpack(archive: string, directory: string): Promise<string[]> {
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false });
  const files: string[] = [];
  for await (const entry of zip.eachEntry()) {
    const path = join(directory, entry.fileName);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await zip.openReadStreamPromise(entry));
    files.push(path);
  }
  zip.close();
  return files;
}

/**
 * A directory with links to the whole project. `serverless` builds in `.serverless` of its working
 * directory, which two concurrent runs would spoil. Functions that are not among `files` are empty,
 * because bundling takes time.
 */
export async function linkProject(directory: string, files = functions): Promise<string> {
  await mkdir(join(directory, 'functions'), { recursive: true });
  const names = (await readdir(project)).filter((name) => !name.startsWith('.') && name !== 'functions');
  for (const name of [...names, ...files]) {
    const [from, to] = [join(project, name), join(directory, name)];
    await (name === 'serverless.yml' ? copyFile(from, to) : symlink(from, to));
  }
  for (const name of functions.filter((file) => !files.includes(file)))
    await writeFile(join(directory, name), 'export const handler = () => {};\n');
  return directory;
}
