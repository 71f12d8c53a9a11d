import { run } from '../process/run.js';

export interface PackageManager {
  /** The program that has to exist for this way to be open. */
  file: string;
  steps: string[][];
  /** Homebrew refuses to be root, everything else needs to be. */
  asRoot: boolean;
}

const noQuestions = { DEBIAN_FRONTEND: 'noninteractive' };
const timeoutMs = 300_000;

/** How each system installs a Redis or Valkey, most common first; of the steps the last one that succeeds is enough. */
export const packageManagers: readonly PackageManager[] = [
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
    file: 'dnf',
    steps: [
      ['install', '-y', 'redis'],
      ['install', '-y', 'valkey'],
    ],
    asRoot: true,
  },
  { file: 'yum', steps: [['install', '-y', 'redis']], asRoot: true },
  {
    file: 'apk',
    steps: [
      ['add', '--no-cache', 'redis'],
      ['add', '--no-cache', 'valkey'],
    ],
    asRoot: true,
  },
  {
    file: 'pacman',
    steps: [
      ['-Sy', '--noconfirm', 'valkey'],
      ['-Sy', '--noconfirm', 'redis'],
    ],
    asRoot: true,
  },
  {
    file: 'zypper',
    steps: [
      ['--non-interactive', 'install', 'redis'],
      ['--non-interactive', 'install', 'valkey'],
    ],
    asRoot: true,
  },
  { file: 'brew', steps: [['install', 'redis']], asRoot: false },
];

const exists = async (file: string): Promise<boolean> =>
  !(await run(file, ['--version'], { timeoutMs: 30_000 })).missing;

/** The package manager of this system; undefined when it has none that we know. */
export async function findPackageManager(): Promise<PackageManager | undefined> {
  for (const manager of packageManagers) if (await exists(manager.file)) return manager;
  return undefined;
}

/** Whether this user may become root without being asked anything. */
async function maySudo(): Promise<boolean> {
  return (await run('sudo', ['-n', 'true'], { timeoutMs: 10_000 })).code === 0;
}

/** Installs a Redis through the system's package manager if this user may; answers whether every way to it is used up. */
export async function installRedis(
  manager: PackageManager,
  found: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  const isRoot = process.getuid?.() === 0;
  const sudo = manager.asRoot && !isRoot;
  if (sudo && !(await maySudo())) return false;
  for (const step of manager.steps) {
    const [file = '', ...args] = sudo ? ['sudo', '-n', manager.file, ...step] : [manager.file, ...step];
    await run(file, args, { env: { ...process.env, ...noQuestions }, timeoutMs, signal });
    signal.throwIfAborted();
    if (await found()) return true;
  }
  return false;
}

/** What somebody has to type to install it. */
export function installHint(manager: PackageManager | undefined): string {
  if (manager === undefined) return 'Install redis-server or valkey-server';
  const sudo = manager.asRoot && process.getuid?.() !== 0 ? 'sudo ' : '';
  return `Type  ${sudo}${manager.file} ${(manager.steps.at(-1) ?? []).join(' ')}`;
}
