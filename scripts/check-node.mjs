// Written for old versions of Node.js too, because it is what tells people that theirs is too old.
const oldest = [20, 19];

/**
 * Runs the main function of a script that needs a recent Node.js; its errors become a message and exit code 1.
 * @param {() => Promise<{ run: () => Promise<number> }>} load
 */
export async function main(load) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    console.error(`Node.js ${oldest.join('.')} or newer is needed; this is ${process.versions.node}.`);
    process.exit(1);
  }
  try {
    const { run } = await load();
    process.exitCode = await run();
  } catch (error) {
    const forPeople =
      error && (/^(Stack|Bootstrap)Error$/.test(error.name) || /^ERR_PARSE_ARGS/.test(error.code));
    console.error(forPeople ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
