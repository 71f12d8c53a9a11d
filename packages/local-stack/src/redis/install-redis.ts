import { run } from '../process/run.js';

/** Package manager and how it installs a server. */
export interface PackageManager {
  /** Program of the package manager. */
  readonly file: string;
  readonly steps: string[][];
  /** False for Homebrew, which refuses to run as root; the others need root. */
  readonly asRoot: boolean;
}

const NO_QUESTIONS = { DEBIAN_FRONTEND: 'noninteractive' };
const TIMEOUT_MS = 300_000;

/** Steps that install Redis or Valkey on Debian, on Alpine and with Homebrew; they end once a server is found. */
const PACKAGE_MANAGERS: readonly PackageManager[] = [
  {
    file: 'apt-get',
    steps: [
      ['install', '-y', '--no-install-recommends', 'redis-server'],
      ['update', '-q'],
      ['install', '-y', '--no-install-recommends', 'redis-server'],
    ],
    asRoot: true,
  },
  {
    file: 'apk',
    steps: [
      ['add', '--no-cache', 'redis'],
      ['add', '--no-cache', 'valkey'],
    ],
    asRoot: true,
  },
  { file: 'brew', steps: [['install', 'redis']], asRoot: false },
];

const exists = async (file: string): Promise<boolean> =>
  !(await run(file, ['--version'], { timeoutMs: 30_000 })).missing;

/** Finds the package manager of this system; undefined when it is none of those above. */
export async function findPackageManager(): Promise<PackageManager | undefined> {
  for (const manager of PACKAGE_MANAGERS) {
    if (await exists(manager.file)) {
      return manager;
    }
  }
  return undefined;
}

/** Returns whether this user can become root without a password. */
async function canSudo(): Promise<boolean> {
  return (await run('sudo', ['-n', 'true'], { timeoutMs: 10_000 })).code === 0;
}

/** Installs a Redis through the system's package manager if this user is allowed to; returns whether a server is found afterwards. */
export async function installRedis(
  manager: PackageManager,
  found: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  const isRoot = process.getuid?.() === 0;
  const sudo = manager.asRoot && !isRoot;
  if (sudo && !(await canSudo())) {
    return false;
  }
  for (const step of manager.steps) {
    const [file = '', ...args] = sudo ? ['sudo', '-n', manager.file, ...step] : [manager.file, ...step];
    await run(file, args, { env: { ...process.env, ...NO_QUESTIONS }, timeoutMs: TIMEOUT_MS, signal });
    signal.throwIfAborted();
    if (await found()) {
      return true;
    }
  }
  return false;
}

/** Returns the command that installs a server by hand, or what to install where the package manager is unknown. */
export function getInstallHint(manager: PackageManager | undefined): string {
  if (manager === undefined) {
    return 'Install the package of redis-server or valkey-server of this system';
  }
  const sudo = manager.asRoot && process.getuid?.() !== 0 ? 'sudo ' : '';
  return `Type  ${sudo}${manager.file} ${(manager.steps.at(-1) ?? []).join(' ')}`;
}
