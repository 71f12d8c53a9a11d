// Other versions of Node.js, from their npm packages.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { installEnvironment } from './install-environment.mjs';

const CACHE = path.resolve(import.meta.dirname, '../../.cache');
// Many times the usual duration; npm can hang.
const NPM_MS = 300_000;

// Of the package `node`, the one for this machine: it holds the program itself and needs no install script.
const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
const PACKAGE = `${prefix}-${process.platform}-${process.arch}`;

const PROGRAM = path.join('node_modules', PACKAGE, 'bin/node');

const getFolder = (version) => path.join(CACHE, `node-${version}`);

/**
 * Returns the program of an installed version; null where there is none.
 * @param {string} version such as `24`
 */
export function findNode(version) {
  const file = path.join(getFolder(version), PROGRAM);
  return fs.existsSync(file) ? file : null;
}

/**
 * Installs a version into the cache of this folder and returns its program. Two that install at once do not disturb each other,
 * and a broken installation leaves nothing behind. Throws an error of npm.
 * @param {string} version such as `24`
 * @returns {string}
 */
export function installNode(version) {
  fs.mkdirSync(CACHE, { recursive: true });
  const own = fs.mkdtempSync(`${getFolder(version)}-`);
  try {
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    execFileSync('npm', ['install', '--prefix', own, ...quiet, `${PACKAGE}@${version}`], {
      cwd: own,
      env: installEnvironment(process.env, CACHE),
      timeout: NPM_MS,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    // Fails where the program does not run, such as on a system without glibc.
    execFileSync(path.join(own, PROGRAM), ['--version'], { stdio: 'ignore' });
    moveTo(own, getFolder(version));
  } finally {
    fs.rmSync(own, { recursive: true, force: true });
  }
  const file = findNode(version);
  if (file === null) {
    throw new Error(`the package ${PACKAGE}@${version} holds no program`);
  }
  return file;
}

function moveTo(from, to) {
  fs.chmodSync(from, 0o755);
  try {
    fs.renameSync(from, to);
  } catch (error) {
    // Another process was faster.
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) {
      throw error;
    }
  }
}
