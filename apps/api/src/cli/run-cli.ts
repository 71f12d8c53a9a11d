import type { CliCommand, CliResult } from './cli-command.js';
import type { CliContext } from './cli-context.js';
import { explainError } from './explain-error.js';
import { findCommand } from './find-command.js';
import { parseCommandLine } from './parse-command-line.js';
import { renderHelp, renderOverview } from './render-help.js';

/** Where a run of the command line writes. */
export interface CliOutput {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/**
 * Runs one command line and gives the exit code: 0, or 1 when something is wrong. With `--json` standard output gets
 * exactly one JSON value whatever happens; without it results go to standard output and errors to standard error.
 */
export async function runCli(
  { commands, context, output }: { commands: readonly CliCommand[]; context: CliContext; output: CliOutput },
  argv: readonly string[],
): Promise<number> {
  const json = argv.includes('--json');
  try {
    const result = await runCommand({ commands, context }, argv);
    output.stdout(`${json ? JSON.stringify(result.value) : result.text}\n`);
    return result.failed ? 1 : 0;
  } catch (thrown) {
    const error = explainError(thrown);
    if (json) output.stdout(`${JSON.stringify({ error })}\n`);
    else output.stderr(`${error.message}\n`);
    return 1;
  }
}

async function runCommand(
  { commands, context }: { commands: readonly CliCommand[]; context: CliContext },
  argv: readonly string[],
): Promise<CliResult> {
  const words = argv.filter((word) => !['--json', '--help', '-h', 'help'].includes(word));
  const help = argv.some((word) => ['--help', '-h'].includes(word)) || argv[0] === 'help';
  if (words.length === 0) return helpResult(renderOverview(commands), !help);
  const { command, rest } = findCommand(commands, words);
  if (help) return helpResult(renderHelp(command), false);
  return command.run(context, parseCommandLine(command, rest));
}

function helpResult(text: string, failed: boolean): CliResult {
  const value = failed
    ? { error: { code: 'BAD_REQUEST', message: 'No command was given.' } }
    : { help: text };
  return { value, text, failed };
}
