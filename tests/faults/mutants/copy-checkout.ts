import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DEFECT_MIGRATION } from './apply-mutant.js';

/** A copy of the last commit that can be changed and built. */
export interface Checkout {
  readonly root: string;
  /**
   * Compiles what has changed, whatever its types, and writes out its statements; throws Error with the compiler's words where
   * the syntax is wrong.
   */
  readonly build: () => void;
  /** Puts files back as they were committed. */
  readonly restore: (files: readonly string[]) => void;
  readonly remove: () => void;
}

/** Numbers of the compiler's errors from 1000 to 1999 are about the syntax. */
const SYNTAX_ERROR = /error TS1\d{3}:/;

/** The packages' folders whose dependencies are links. */
const GROUPS = ['apps', 'packages', '.'];

/**
 * Copies the last commit of a working copy, or a given archive of it, into a folder of its own, with its compiled files.
 * Installed dependencies are linked; the packages of the project are the copy's own.
 */
export function copyCheckout(source: string, archive?: () => Buffer): Checkout {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'image-gateway-mutants-'));
  fs.chmodSync(root, 0o755);
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', `safe.directory=${source}`, ...args], { cwd: source, maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', root], { input: archive?.() ?? git('archive', 'HEAD') });
  for (const folder of listFolders(source)) {
    linkModules(path.join(source, folder), path.join(root, folder));
    for (const made of ['dist', 'src/domain/db/generated', 'tsconfig.tsbuildinfo']) {
      const from = path.join(source, folder, made);
      if (fs.existsSync(from)) {
        fs.cpSync(from, path.join(root, folder, made), { recursive: true, preserveTimestamps: true });
      }
    }
  }
  // `npm start` of the copy finds installed what is linked here.
  fs.mkdirSync(path.join(root, '.cache'));
  for (const stamp of fs.readdirSync(path.join(source, '.cache')).filter((name) => name.endsWith('.stamp'))) {
    fs.copyFileSync(path.join(source, '.cache', stamp), path.join(root, '.cache', stamp));
  }
  return {
    root,
    build: () => {
      try {
        execFileSync(process.execPath, [path.join(root, 'scripts/compile.mjs')], { stdio: 'pipe' });
      } catch (error) {
        const words = String((error as { stdout?: Buffer }).stdout ?? error);
        // A defect may leave something unused; the compiler says so and still writes its files.
        if (!/error TS\d+:/.test(words) || SYNTAX_ERROR.test(words)) {
          throw new Error(words);
        }
      }
      execFileSync(process.execPath, [path.join(root, 'scripts/db-statements.mjs')], { stdio: 'pipe' });
    },
    restore: (files) => {
      fs.rmSync(path.join(root, DEFECT_MIGRATION), { recursive: true, force: true });
      for (const file of files) {
        fs.writeFileSync(path.join(root, file), git('show', `HEAD:${file}`));
      }
    },
    remove: () => fs.rmSync(root, { recursive: true, force: true }),
  };
}

function listFolders(source: string): string[] {
  return GROUPS.flatMap((group) =>
    group === '.'
      ? ['.']
      : fs
          .readdirSync(path.join(source, group))
          .map((name) => path.join(group, name))
          .filter((folder) => fs.existsSync(path.join(source, folder, 'package.json'))),
  );
}

/** Links everything that is installed; a link to a package of the project is made anew, so that it leads into the copy. */
function linkModules(from: string, to: string): void {
  const modules = path.join(from, 'node_modules');
  if (!fs.existsSync(modules) || !fs.existsSync(to)) {
    return;
  }
  fs.mkdirSync(path.join(to, 'node_modules'), { recursive: true });
  for (const name of fs.readdirSync(modules)) {
    const target = path.join(to, 'node_modules', name);
    if (name !== '@image-gateway') {
      fs.symlinkSync(path.join(modules, name), target);
      continue;
    }
    fs.mkdirSync(target);
    for (const own of fs.readdirSync(path.join(modules, name))) {
      fs.symlinkSync(fs.readlinkSync(path.join(modules, name, own)), path.join(target, own));
    }
  }
}
