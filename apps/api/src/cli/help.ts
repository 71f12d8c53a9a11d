import { type Command, Help, type HelpConfiguration, type Option } from 'commander';

/** Call of the command line from the root of the project. */
export const CALL = 'npx gateway';

/** Help of all commands: the overview lists every command, and the usage of a command names all its options. */
export const HELP: HelpConfiguration = {
  // Only the help lists all commands: suggestions for a mistyped word need the groups.
  formatHelp: (command, helper) =>
    new Help().formatHelp(command, Object.assign(Object.create(helper), { visibleCommands: listCommands })),
  subcommandTerm: (command) =>
    [getPath(command), ...getArguments(command), ...getOptions(command, ({ mandatory }) => mandatory)].join(
      ' ',
    ),
  commandUsage: (command) => {
    if (command.commands.length > 0) {
      return `${[CALL, getPath(command)].filter(Boolean).join(' ')} <command> [--json]`;
    }
    const options = getOptions(command, () => true);
    return [CALL, getPath(command), ...getArguments(command), ...options, '[--json]'].join(' ');
  },
};

/** Lists the commands below a command that can be run, in the order of the help. */
export function listCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? listCommands(child) : [child]));
}

/** Returns the words of a command, such as `account create`; empty for the program itself. */
export function getPath(command: Command): string {
  const above = command.parent === null ? '' : getPath(command.parent);
  return command.parent === null ? '' : `${above} ${command.name()}`.trim();
}

/** Returns the text for `addHelpText('after', …)` that shows a call of a command. */
export function formatExample(args: string): string {
  return `\nExample: ${CALL} ${args}`;
}

function getArguments(command: Command): string[] {
  return command.registeredArguments.map((argument) => `<${argument.name()}>`);
}

function getOptions(command: Command, isShown: (option: Option) => boolean): string[] {
  return command.options.filter(isShown).map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`));
}
