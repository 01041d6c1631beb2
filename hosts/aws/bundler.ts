import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, driverPath } from './bundles/bundle.ts';
import { pack, zip } from './bundles/zip.ts';

type Definition = { handler: string; package?: { artifact: string } };
type Upload = { uploadZipFile?: (file: { filename: string; s3KeyDirname: string }) => Promise<void> };
type Serverless = {
  serviceDir: string;
  service: { functions: Record<string, Definition>; package: { artifactDirectoryName: string } };
  pluginManager: { plugins: Upload[] };
};

/**
 * A serverless plugin that packages each function as an archive with nothing but its bundle. Source
 * maps go into a separate archive, which `npm run stack` reads: a function that loads its map
 * starts 12 % slower.
 */
export default class BundlerPlugin {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor(serverless: Serverless, options: { function?: string }) {
    this.hooks = {
      'before:package:createDeploymentArtifacts': () => packageFunctions(serverless, Object.keys(serverless.service.functions)),
      'before:deploy:function:packageFunction': () => packageFunctions(serverless, [options.function ?? '']),
      'after:aws:deploy:deploy:uploadArtifacts': () => uploadSourceMaps(serverless),
    };
  }
}

const sourceMaps = 'source-maps.zip';

async function packageFunctions({ serviceDir, service }: Serverless, names: string[]): Promise<void> {
  const definitions = names.flatMap((name) => service.functions[name] ?? []);
  const { bundles, driver, metafile } = await bundle(
    definitions.map(({ handler }) => handler),
    serviceDir,
  );
  const directory = join(serviceDir, '.serverless');
  await mkdir(directory, { recursive: true });
  const packedDriver = await pack(driverPath, driver.contents);
  const maps = await Promise.all(bundles.map(({ path, map }) => pack(`${path}.map`, map.contents)));
  await writeFile(join(directory, sourceMaps), zip(maps));
  // The metafile is for esbuild's analyser and for tests.
  await writeFile(join(directory, 'metafile.json'), JSON.stringify(metafile));
  await Promise.all(
    Object.entries(service.functions).map(async ([name, definition]) => {
      const made = bundles.find(({ path }) => path === definition.handler.replace(/\.\w+$/, '.mjs'));
      if (!made) return;
      const artifact = join(directory, `${name}.zip`);
      const code = await pack(made.path, made.code.contents);
      await writeFile(artifact, zip([code, ...(made.needsDriver ? [packedDriver] : [])]));
      definition.package = { artifact };
    }),
  );
}

async function uploadSourceMaps({ serviceDir, service, pluginManager }: Serverless): Promise<void> {
  const filename = join(serviceDir, '.serverless', sourceMaps);
  const s3KeyDirname = service.package.artifactDirectoryName;
  for (const plugin of pluginManager.plugins) await plugin.uploadZipFile?.({ filename, s3KeyDirname });
}
