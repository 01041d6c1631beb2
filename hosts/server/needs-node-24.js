/*
 * Loaded first by every command of package.json. An older Node.js gets a clear message instead of a
 * syntax error.
 */
const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  process.stderr.write(
    `This needs Node.js 24, and runs in ${process.version}: \`npm ci\` brings it along for npm's commands, \`npm ci --omit=dev\` does not.\n`,
  );
  process.exit(1);
}
