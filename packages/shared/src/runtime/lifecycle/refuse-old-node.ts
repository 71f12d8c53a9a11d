const OLDEST_MAJOR = 22;
const OLDEST_MINOR = 13;

/** Throws where the Node.js of this process is older than `engines` of package.json says, which nothing else looks at here. */
export function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_MAJOR || (major === OLDEST_MAJOR && minor < OLDEST_MINOR)) {
    throw new Error(
      `Node.js ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer is needed; this is ${process.versions.node}, from ${process.execPath}.`,
    );
  }
}
