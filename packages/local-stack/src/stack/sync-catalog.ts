import { createGatewayCommand, type GatewayCommandOptions } from './create-gateway-command.js';

/** Options of the synchronization. */
export interface SyncCatalogOptions {
  /** True to apply CATALOG_FILE although an operator's change followed its last version. */
  readonly force: boolean;
  readonly print: (line: string) => void;
}

/** Providers that the environment and the catalog have in use; absent under faulty settings, which every process reports itself. */
export interface StackProviders {
  readonly providers?: readonly string[];
  /** Models that only the sandbox draws. */
  readonly sandbox_models?: readonly string[];
}

interface Synced extends StackProviders {
  readonly version: number;
  readonly inserted: 'file' | 'built-in' | null;
  readonly file_replaced: boolean;
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  /** Content that waits for the end of processes of the former release. */
  readonly waiting: { readonly content: 'file' | 'built-in'; readonly processes: readonly string[] } | null;
}

/**
 * Applies CATALOG_FILE and new built-in content through the operator command line, and returns the providers in use. Throws
 * StackError when it is refused.
 */
export async function syncCatalog(
  options: GatewayCommandOptions,
  { force, print }: SyncCatalogOptions,
): Promise<StackProviders> {
  const call = createGatewayCommand(options);
  const args = ['catalog', 'sync', ...(force ? ['--force'] : [])];
  const { version, inserted, file_replaced, faults, waiting, ...providers } = await call<Synced>(args);
  if (inserted) {
    print(`Catalog version ${version}: ${inserted === 'file' ? 'CATALOG_FILE' : 'new built-in content'}`);
  } else if (file_replaced) {
    print(`Catalog version ${version} is active; it replaced the document of CATALOG_FILE.`);
  }
  if (waiting) {
    const what = waiting.content === 'file' ? 'CATALOG_FILE' : 'New built-in content';
    print(
      `${what} waits until these processes of the former release have ended: ${waiting.processes.join(', ')}`,
    );
  }
  for (const { path, message } of faults) {
    print(
      `Catalog version ${version} does not fit the built-in content of this release: ${path}: ${message}`,
    );
  }
  return providers;
}
