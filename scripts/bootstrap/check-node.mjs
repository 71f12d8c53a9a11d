// Runs on old versions of Node.js, too, in order to report that they are too old.
const OLDEST_NODE = [20, 19];

/**
 * Runs a script that needs a recent Node.js and exits with the code that it returns; an error becomes a message and exit code 1.
 * The script imports all other files itself, so that an old Node.js parses no newer syntax.
 * @param {() => Promise<number>} script
 */
export async function main(script) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    console.error(`Node.js ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`);
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
