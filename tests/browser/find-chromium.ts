import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const MINUTES = 60_000;

/** The path of a Chromium: the one that `CHROMIUM_BIN` names, the system's, or one installed from Debian's packages; null, and a line that says so, when there is none to be had. */
export async function findChromium(): Promise<string | null> {
  const found = look();
  if (found !== null) return found;
  const cannot = await install();
  const installed = look();
  if (installed === null)
    process.stderr.write(
      `No Chromium: the tests of the dashboard in a browser are left out (${cannot}). Install chromium, or set CHROMIUM_BIN.\n`,
    );
  return installed;
}

function look(): string | null {
  const named = process.env.CHROMIUM_BIN;
  return [...(named ? [named] : []), ...PLACES].find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs the browser where that is possible; says why it was not. */
async function install(): Promise<string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root on Debian can install one by itself';
  const run = promisify(execFile);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update', '-qq'], { env, timeout: 3 * MINUTES });
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      env,
      timeout: 8 * MINUTES,
      maxBuffer: 16 * 1024 * 1024,
    });
    return 'apt-get installed one that is not where it should be';
  } catch (error) {
    return `apt-get could not install it: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`;
  }
}
