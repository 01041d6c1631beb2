/* The first thing that every command of package.json loads: says in one sentence what would otherwise be an error of syntax. */
const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  process.stderr.write(
    `This needs Node.js 24, and runs in ${process.version}: \`npm ci\` brings it along for npm's commands, \`npm ci --omit=dev\` does not.\n`,
  );
  process.exit(1);
}
