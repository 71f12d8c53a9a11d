import { Command } from 'commander';
import type { BuildCommand, CommandRun } from './define-command.js';
import { CALL, HELP } from './help.js';

/** Loads commands by their last words: most load more than the others need. */
type Load = () => Promise<{ readonly commands: Readonly<Record<string, BuildCommand>> }>;

const GROUPS: Readonly<Record<string, string>> = {
  account: 'Customer accounts',
  operator: 'Users who run the gateway',
  key: 'API keys',
  task: 'Tasks of all accounts',
  endpoint: 'Addresses that events are sent to',
  webhook: 'Webhook deliveries',
  catalog: 'Models, prices and routes',
  provider: 'Providers of images',
  'provider key': 'Keys of providers in the database',
  retention: 'How long tasks are kept',
  ledger: 'The books',
};

const catalogEdits = () => import('../catalog/commands/catalog-edits.js');
const catalogVersions = () => import('../catalog/commands/catalog-versions.js');

/** Commands in the order of the help: the words before the last, the last ones, and what loads them. */
const COMMANDS: readonly (readonly [group: string, words: string, load: Load])[] = [
  [
    'account',
    'create list show credit adjust limits suspend resume rotate-webhook-secret set-email set-password',
    () => import('../account/commands.js'),
  ],
  ['operator', 'create list set-email remove', () => import('../user/commands.js')],
  ['key', 'create list update rotate revoke', () => import('../key/commands.js')],
  ['task', 'show requeue cancel delete fail refund', () => import('../task/commands.js')],
  ['endpoint', 'create list test delete', () => import('../endpoint/commands.js')],
  ['webhook', 'list resend', () => import('../webhook/commands.js')],
  ['catalog', 'show', catalogVersions],
  ['catalog', 'check', () => import('../catalog/commands/catalog-check.js')],
  ['catalog', 'apply', () => import('../catalog/commands/catalog-apply.js')],
  ['catalog', 'set-price enable disable', catalogEdits],
  ['catalog', 'history rollback', catalogVersions],
  ['catalog', 'sync', () => import('../catalog/commands/catalog-sync.js')],
  ['provider key', 'set remove list', () => import('../provider/commands/provider-key.js')],
  ['provider', 'check', () => import('../provider/commands/provider-check.js')],
  ['provider', 'limit pause resume', () => import('../provider/commands/provider-limit.js')],
  ['', 'providers', () => import('../provider/commands/providers.js')],
  ['', 'migrate', () => import('../system/commands/migrate.js')],
  ['retention', 'run', () => import('../system/commands/retention-run.js')],
  ['ledger', 'check recount', () => import('../system/commands/ledger-commands.js')],
  ['', 'backup restore', () => import('../system/commands/backup-commands.js')],
  ['', 'settings', () => import('../system/commands/settings.js')],
  ['', 'doctor', () => import('../doctor/doctor.js')],
];
const PATHS = COMMANDS.flatMap(([group, words, load]) =>
  words.split(' ').map((word) => ({ path: [...group.split(' '), word].filter((part) => part !== ''), load })),
);

/** Receives what the help prints. */
export interface HelpOutput {
  readonly write: (text: string) => void;
  /** Width of the terminal in characters. */
  readonly columns: number;
}

/**
 * Builds the operator command line with the command that is called, and with all where the words call none. A wrong command line
 * throws CommanderError, `--help` as well, after printing to `output`.
 */
export async function buildProgram(
  run: CommandRun,
  output: HelpOutput,
  argv: readonly string[],
): Promise<Command> {
  const program = new Command(CALL)
    .description('Operator command line of image-gateway.')
    .option('--json', 'print one JSON value on standard output')
    .exitOverride()
    .configureHelp(HELP)
    .configureOutput({
      writeOut: output.write,
      writeErr: output.write,
      outputError: () => undefined,
      getOutHelpWidth: () => output.columns,
      getErrHelpWidth: () => output.columns,
    })
    .addHelpText(
      'after',
      '\nSettings come from the environment, else from DATA_DIR/run.json (DATA_DIR: .data), which npm start writes.',
    );
  const called = await Promise.all(
    selectPaths(argv).map(async ({ path, load }) => ({ path, loaded: await load() })),
  );
  for (const { path, loaded } of called) {
    const word = path.at(-1) ?? '';
    loaded.commands[word]?.(openGroup(program, path.slice(0, -1)).command(word), run);
  }
  return program;
}

/** Returns the path of the command that is called, or those of its group; all where the words call none. */
function selectPaths(argv: readonly string[]): typeof PATHS {
  const words = argv.filter((word) => !word.startsWith('-'));
  const called = PATHS.filter(({ path }) => path.slice(0, 2).every((word, index) => word === words[index]));
  return called.length > 0 ? called : PATHS;
}

/** Returns the group of commands with these words, new where the program has none yet. */
function openGroup(program: Command, words: readonly string[]): Command {
  return words.reduce(
    (parent, word, index) =>
      parent.commands.find((one) => one.name() === word) ??
      parent.command(word).description(GROUPS[words.slice(0, index + 1).join(' ')] ?? ''),
    program,
  );
}
