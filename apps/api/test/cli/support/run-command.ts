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
  const printed = { stdout: '', stderr: '' };
  const tell = (line: string): void => {
    printed.stderr += line;
  };
  const context = createContext(over, tell);
  const output = {
    stdout: (text: string) => {
      printed.stdout += text;
    },
    stderr: (text: string) => {
      printed.stderr += text;
    },
  };
  const code = await runCli({ context, output }, [...args, '--json']);
  await context.close();
  if (printed.stderr !== '') {
    throw new Error(`printed on standard error: ${printed.stderr}`);
  }
  return { code, value: JSON.parse(printed.stdout) };
}

function createContext(over: Parameters<typeof runCommand>[0], tell: CliContext['tell']): CliContext {
  const projectDir = repositoryRoot();
  const reportProgress = (): void => undefined;
  const readInput = async (): Promise<string> => over.input ?? '';
  if ('db' in over) {
    const { db } = over;
    const close = async (): Promise<void> => undefined;
    const prisma = async (): Promise<PrismaDatabase> => {
      if (over.withoutPrisma) {
        throw new Error('the command loads the client of Prisma');
      }
      return db;
    };
    return {
      env: {},
      projectDir,
      readInput,
      ask: readInput,
      reportProgress,
      tell,
      db: () => db,
      prisma,
      close,
    };
  }
  return createCliContext({
    env: { DATA_DIR: '/nonexistent', ...over.env },
    projectDir,
    readInput,
    ask: readInput,
    reportProgress,
    tell,
  });
}
