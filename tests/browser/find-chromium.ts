import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../acceptance/support/product/product.js';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const MINUTES = 60_000;
const APT = 'apt-get install -y -q --no-install-recommends chromium';
// Test files that run side by side must not install it twice; package lists are fetched only where they are missing or old.
const INSTALL = `command -v chromium || ${APT} || { apt-get update -q && ${APT}; }`;
const run = promisify(execFile);

/**
 * Returns the path of a Chromium: `CHROMIUM_BIN`, the system's, or one that it installs from Debian's packages.
 * Returns null, and prints why, when there is none.
 */
export async function findChromium(): Promise<string | null> {
  const found = await look();
  if (found !== null) {
    return found;
  }
  const cannot = await install();
  const installed = await look();
  if (installed === null) {
    process.stderr.write(
      `No Chromium: the tests of the dashboard in a browser are left out (${cannot}). Install chromium, or set CHROMIUM_BIN.\n`,
    );
  }
  return installed;
}

async function look(): Promise<string | null> {
  const named = process.env.CHROMIUM_BIN;
  for (const place of [...(named ? [named] : []), ...PLACES]) {
    if (await works(place)) {
      return place;
    }
  }
  return null;
}

/** Some systems have a file of that name that only says how to install one. */
async function works(file: string): Promise<boolean> {
  try {
    await run(file, ['--version'], { timeout: MINUTES });
    return true;
  } catch {
    return false;
  }
}

/** Installs the browser where that is possible; says why it was not. */
async function install(): Promise<string> {
  const canInstall = process.platform === 'linux' && process.getuid?.() === 0;
  if (!canInstall) {
    return 'only root on Debian can install one by itself';
  }
  const started = performance.now();
  process.stderr.write('Installing Chromium for the tests of the dashboard…\n');
  const cache = path.join(projectRoot, '.cache');
  mkdirSync(cache, { recursive: true });
  try {
    await run('flock', [path.join(cache, 'chromium.lock'), 'sh', '-c', INSTALL], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 10 * MINUTES,
      maxBuffer: 64 * 1024 * 1024,
    });
    process.stderr.write(`Chromium is there (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
    return 'what apt-get installed does not start';
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const reason = stderr.trimEnd().split('\n').at(-1) || message.split('\n')[0];
    return `apt-get could not install it: ${reason}`;
  }
}
