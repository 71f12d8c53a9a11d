import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { repositoryRoot } from '@image-gateway/testing';
import { type CliContext, createCliContext } from '../../../src/cli/cli-context.js';
import { runCli } from '../../../src/cli/run-cli.js';

/** Output of a command with `--json`. */
export interface CommandRun<T> {
  readonly code: number;
  readonly value: T & { readonly error?: { readonly code: string; readonly message: string } };
}

/**
 * Runs a command with `--json` inside the test's process, over a test's database or with settings; throws when it prints
 * anything but one JSON value.
 */
export async function runCommand<T = Record<string, unknown>>(
  over: ({ readonly db: PrismaDatabase } | { readonly env: Readonly<Record<string, string>> }) & {
    /** Content of standard input. */
    readonly input?: string;
    /** Fails the command when it loads Prisma's client. */
    readonly withoutPrisma?: boolean;
  },
  ...args: string[]
): Promise<CommandRun<T>> {
  const printed: string[] = [];
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const output = { stdout: (text: string) => void printed.push(text), stderr: tell };
  const context = createContext(over, tell);
  const code = await runCli({ context, output }, [...args, '--json']);
  await context.close();
  if (told.length > 0) {
    throw new Error(`printed on standard error: ${told.join('')}`);
  }
  return { code, value: JSON.parse(printed.join('')) };
}

function createContext(over: Parameters<typeof runCommand>[0], tell: CliContext['tell']): CliContext {
  const readInput = async (): Promise<string> => over.input ?? '';
  const common = {
    projectDir: repositoryRoot(),
    readInput,
    ask: readInput,
    reportProgress: () => undefined,
    tell,
  };
  if (!('db' in over)) {
    return createCliContext({ env: { DATA_DIR: '/nonexistent', ...over.env }, ...common });
  }
  return {
    ...common,
    env: {},
    db: () => over.db,
    prisma: async () => {
      if (over.withoutPrisma) {
        throw new Error('the command loads the client of Prisma');
      }
      return over.db;
    },
    close: async () => undefined,
  };
}
