const KEPT = /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LC_[A-Z]+|LD_LIBRARY_PATH|DYLD_[A-Z_]+)$/;

/**
 * Returns the environment of a service: search paths, language, and the variables of the service. It holds no setting of the
 * gateway, because other users may read it and a database needs no provider key.
 */
export function buildServiceEnvironment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name));
  return { ...Object.fromEntries(kept), ...own };
}
