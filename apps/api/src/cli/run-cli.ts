import { AppError } from '@image-gateway/shared/errors';
import { type Command, CommanderError } from 'commander';
import { buildProgram } from './build-program.js';
import type { CliContext, CliResult } from './cli-context.js';
import { type ExplainedError, explainError } from './explain-error.js';
import { getPath, listCommands } from './help.js';

/** Streams of a run of the command line. */
export interface CliOutput {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Width of the terminal in characters; 120 when standard output is no terminal. */
  readonly columns?: number | undefined;
}

const DEFAULT_COLUMNS = 120;

/**
 * Runs one command line and returns the exit code: 0, or 1 after an error. With `--json`, standard output gets exactly
 * one JSON value in every case. Without it, results go to standard output and errors to standard error.
 */
export async function runCli(
  { context, output }: { readonly context: CliContext; readonly output: CliOutput },
  argv: readonly string[],
): Promise<number> {
  const isJson = argv.includes('--json');
  const fail = (error: ExplainedError): number => {
    if (isJson) {
      output.stdout(`${JSON.stringify({ error })}\n`);
    } else {
      output.stderr(`${error.message}\n`);
    }
    return 1;
  };
  let result: CliResult | undefined;
  let help = '';
  const show = (shown: CliResult): void => {
    result = shown;
  };
  const write = (text: string): void => {
    help += text;
  };
  const helpOutput = { write, columns: output.columns ?? DEFAULT_COLUMNS };
  const program = await buildProgram({ ...context, show }, helpOutput, argv);
  for (const command of listCommands(program)) {
    requireSingleValues(command, argv);
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) {
      return fail(explainError(thrown));
    }
    if (thrown.exitCode !== 0) {
      const message =
        thrown.code === 'commander.help'
          ? explainMissingCommand(help, isJson)
          : `${formatMessage(thrown)}${suggestCommand(thrown, program, argv)}`;
      return fail({ code: 'BAD_REQUEST', message });
    }
    result = { value: { help: help.trimEnd() }, text: help.trimEnd() };
  }
  if (result === undefined) {
    throw new Error(`no result of ${getPath(program)}`);
  }
  output.stdout(`${isJson ? JSON.stringify(result.value) : result.text}\n`);
  return result.failed ? 1 : 0;
}

/** Returns commander's message as one sentence. */
function formatMessage({ message }: CommanderError): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!)]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Names the commands that end with a word that is no command by itself, such as `rotate`, and says where all of them stand. */
function suggestCommand({ code }: CommanderError, program: Command, argv: readonly string[]): string {
  if (code !== 'commander.unknownCommand') {
    return '';
  }
  const words = argv.filter((word) => !word.startsWith('-')).slice(0, 2);
  const paths = listCommands(program).map(getPath);
  const near = paths.filter((path) => words.some((word) => path.split(' ').at(-1) === word));
  const hint =
    near.length === 0 ? '' : ` ${near.length === 1 ? 'There is' : 'There are'}: ${near.join(', ')}.`;
  return `${hint} --help lists the commands.`;
}

/** Returns the help for a person, and a sentence with the same content for `--json`. */
function explainMissingCommand(help: string, isJson: boolean): string {
  return isJson
    ? 'No command was given. --help lists the commands.'
    : `No command was given.\n\n${help.trimEnd()}`;
}

/**
 * Makes the options of a command strict: one that is given twice, or whose value is the next option, is an error. Commander
 * takes the last value, and `--email --balance` as an e-mail address. A value such as `-1.00` stays allowed, and so does
 * `--reason=--x`.
 */
function requireSingleValues(command: Command, argv: readonly string[]): void {
  for (const option of command.options) {
    const { long, parseArg } = option;
    if (long == null || !option.required) {
      continue;
    }
    let isGiven = false;
    option.argParser((value: string, previous: unknown) => {
      if (isGiven) {
        throw new AppError('BAD_REQUEST', { publicMessage: `Option ${long} is given twice.` });
      }
      if (value.startsWith('--') && !argv.includes(`${long}=${value}`)) {
        throw new AppError('BAD_REQUEST', { publicMessage: `Option ${long} needs a value: ${option.flags}` });
      }
      isGiven = true;
      return parseArg ? parseArg(value, previous) : value;
    });
  }
}
