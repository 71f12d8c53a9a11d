import type { AppCommand } from '../apps/app-commands.js';
import { run } from '../process/run.js';
import { StackError } from '../stack-error.js';

/** Command line of the operator and its database. */
export interface GatewayCommandOptions {
  readonly databaseUrl: string;
  readonly cli: AppCommand;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Runs a command of the operator command line with a text on standard input, and returns the printed value; throws StackError. */
export type GatewayCommand = <T = Readonly<Record<string, string>>>(
  args: readonly string[],
  input?: string,
  /** Receives what the command tells while it waits. */
  onLine?: (line: string) => void,
) => Promise<T>;

function parseJson<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** Returns what a failed command says: the message of its JSON, or all that it printed. */
function describeFailure({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  const failure = parseJson<{ readonly error?: { readonly message?: string } }>(stdout);
  return failure?.error?.message ?? `${stdout}${stderr}`;
}

/** Creates the function that runs commands of the operator command line on this database. */
export function createGatewayCommand({
  cli,
  cwd,
  env,
  signal,
  databaseUrl,
}: GatewayCommandOptions): GatewayCommand {
  return async <T>(
    args: readonly string[],
    input?: string,
    onErrorLine?: (line: string) => void,
  ): Promise<T> => {
    const result = await run(cli.file, [...cli.args, ...args, '--json'], {
      cwd,
      env: { ...env, DATABASE_URL: databaseUrl },
      signal,
      onErrorLine,
      ...(input !== undefined && { input }),
    });
    signal.throwIfAborted();
    const value = result.code === 0 ? parseJson<T>(result.stdout) : null;
    if (value !== null) {
      return value;
    }
    throw new StackError(`${args.slice(0, 2).join(' ')} failed: ${describeFailure(result)}`);
  };
}
