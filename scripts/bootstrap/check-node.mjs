// Runs on old versions of Node.js, too, in order to report that they are too old.
const OLDEST_NODE = '22.13';

/**
 * Runs a script that needs a recent Node.js and exits with the code that it returns; an error becomes a message and exit code 1.
 * The script imports all other files itself, so that an old Node.js parses no newer syntax.
 * @param {() => Promise<number>} script
 * @param {string} [oldest] Node.js version, `major.minor`
 */
export async function main(script, oldest = OLDEST_NODE) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldest.split('.').map(Number);
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    console.error(
      `Node.js ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}. From 20.19 on, npm start and the other npm ` +
        'scripts install one.',
    );
    process.exit(1);
  }
  try {
    process.exitCode = await script();
  } catch (error) {
    const forPeople = error && /^(Stack|Bootstrap|Usage)Error$/.test(error.name);
    console.error(forPeople ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
