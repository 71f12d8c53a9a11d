import type { CliCommand } from './cli-command.js';

/** How the command line is called from the root of the project. */
const CALL = 'npm run --silent gateway --';

/** Writes the list of all commands. */
export function renderOverview(commands: readonly CliCommand[]): string {
  const usages = commands.map((command) => ({ usage: usageOf(command, 'short'), summary: command.summary }));
  const width = Math.max(...usages.map(({ usage }) => usage.length));
  return [
    `Usage: ${CALL} <command> [--json]`,
    '',
    ...usages.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    '--json prints one JSON value on standard output; --help after a command explains it.',
    'Settings come from the environment, else from DATA_DIR/run.json (DATA_DIR: .data), which npm start writes.',
  ].join('\n');
}

/** Writes what one command does, its options and an example. */
export function renderHelp(command: CliCommand): string {
  const options = Object.entries(command.options ?? {}).map(([name, option]) => ({
    left: option.value === undefined ? `--${name}` : `--${name} ${option.value}`,
    help: option.help,
  }));
  const width = Math.max(0, ...options.map(({ left }) => left.length));
  return [
    command.summary,
    '',
    `Usage: ${CALL} ${usageOf(command, 'long')} [--json]`,
    ...(options.length > 0
      ? ['', ...options.map(({ left, help }) => `  ${left.padEnd(width)}  ${help}`)]
      : []),
    '',
    `Example: ${CALL} ${command.example}`,
  ].join('\n');
}

function usageOf(command: CliCommand, form: 'short' | 'long'): string {
  const options = Object.entries(command.options ?? {})
    .filter(([, { required }]) => required || form === 'long')
    .map(([name, { value, required }]) => {
      const text = value === undefined ? `--${name}` : `--${name} ${value}`;
      return required ? text : `[${text}]`;
    });
  return [command.name, ...(command.arguments ?? []), ...options].join(' ');
}
