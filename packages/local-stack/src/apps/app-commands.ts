import path from 'node:path';

/** Program and arguments of an app. */
export interface AppCommand {
  readonly file: string;
  readonly args: string[];
  /** Environment that belongs to the program, as its container image sets it. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Environment of every generation worker. With it glibc returns the memory of a freed image to the system. Otherwise it raises
 * this threshold with the first large image and keeps what is freed later (`man mallopt`, M_MMAP_THRESHOLD).
 */
export const GENERATION_WORKER_ENV = { MALLOC_MMAP_THRESHOLD_: '65536' };

/** Environment of every API, for the memory of uploads. Bytes of connections, which come and go all the time, stay below this threshold. */
export const API_ENV = { MALLOC_MMAP_THRESHOLD_: '131072' };

/**
 * Flags of Node for every API and generation worker. Bodies and images that arrive leave much behind that lives shortly. By default V8
 * lets that take 100 MB before it looks, and keeps the room.
 */
export const MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=8'];

/** Commands of the programs of the product. */
export interface AppCommands {
  readonly api: AppCommand;
  readonly generationWorker: AppCommand;
  readonly webhookWorker: AppCommand;
  /** Operator command line without its arguments. */
  readonly cli: AppCommand;
}

/** Returns the compiled programs of a working copy. */
export function compiledApps(root: string): AppCommands {
  const node = (file: string, flags: readonly string[] = []): AppCommand => ({
    file: process.execPath,
    args: [...flags, path.join(root, 'apps', file)],
  });
  return {
    api: { ...node('api/dist/main.js', MEMORY_FLAGS), env: API_ENV },
    generationWorker: { ...node('generation-worker/dist/main.js', MEMORY_FLAGS), env: GENERATION_WORKER_ENV },
    webhookWorker: node('webhook-worker/dist/main.js'),
    cli: node('api/dist/cli/main.js'),
  };
}

/** Returns the sources of a working copy; each program restarts about a second after a change of its files. */
export function watchedApps(root: string): AppCommands {
  const condition = '--conditions=@image-gateway/source';
  const tsx = path.join(root, 'node_modules/.bin/tsx');
  const watch = (file: string): AppCommand => ({
    file: tsx,
    args: ['watch', '--clear-screen=false', condition, path.join(root, 'apps', file)],
  });
  return {
    api: { ...watch('api/src/main.ts'), env: API_ENV },
    generationWorker: { ...watch('generation-worker/src/main.ts'), env: GENERATION_WORKER_ENV },
    webhookWorker: watch('webhook-worker/src/main.ts'),
    cli: { file: tsx, args: [condition, path.join(root, 'apps/api/src/cli/main.ts')] },
  };
}
