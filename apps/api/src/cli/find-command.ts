import type { CliCommand } from './cli-command.js';
import { nearestWord } from './nearest-word.js';
import { usageError } from './usage-error.js';

/** Finds the command that the words begin with; throws a usage error that names the nearest one or the choices. */
export function findCommand(
  commands: readonly CliCommand[],
  words: readonly string[],
): { readonly command: CliCommand; readonly rest: readonly string[] } {
  for (const length of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, length).join(' '));
    if (command) return { command, rest: words.slice(command.name.split(' ').length) };
  }
  const [group = '', verb] = words;
  const names = commands.map(({ name }) => name);
  const verbs = names.filter((name) => name.startsWith(`${group} `));
  if (verbs.length > 0 && (verb === undefined || verb.startsWith('-')))
    throw usageError(`"${group}" needs one more word: ${verbs.join(', ')}.`);
  const typed = verb === undefined || verb.startsWith('-') ? group : `${group} ${verb}`;
  const near = nearestWord(typed, names) ?? nearestWord(group, names);
  const hint = near === null ? 'Run it with --help for the list of commands.' : `Did you mean "${near}"?`;
  throw usageError(`Unknown command "${typed}". ${hint}`);
}
