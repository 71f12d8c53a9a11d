import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { CliRun } from './cli-context.js';
import { CALL, HELP } from './help.js';

type BuildCommand = (run: CliRun) => CommandUnknownOpts;
/** Last word of a command, and what loads it: most commands load more than the others need. */
type LazyCommand = readonly [word: string, load: () => Promise<BuildCommand>];

const account = () => import('../account/commands.js');
const key = () => import('../key/commands.js');
const task = () => import('../task/commands.js');
const endpoint = () => import('../endpoint/commands.js');
const webhook = () => import('../webhook/commands.js');
const ledger = () => import('../system/commands/ledger-commands.js');

/** Commands by group in the order of the help; those of the group '' have one word. */
const GROUPS: readonly {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly LazyCommand[];
}[] = [
  {
    name: 'account',
    about: 'Customer accounts',
    commands: [
      ['create', async () => (await account()).buildAccountCreate],
      ['list', async () => (await account()).buildAccountList],
      ['show', async () => (await account()).buildAccountShow],
      ['credit', async () => (await account()).buildAccountCredit],
      ['adjust', async () => (await account()).buildAccountAdjust],
      ['limits', async () => (await account()).buildAccountLimits],
      ['suspend', async () => (await account()).buildAccountSuspend],
      ['resume', async () => (await account()).buildAccountResume],
      ['rotate-webhook-secret', async () => (await account()).buildAccountRotateWebhookSecret],
      ['set-password', async () => (await account()).buildAccountSetPassword],
    ],
  },
  {
    name: 'operator',
    about: 'Users who run the gateway',
    commands: [['create', async () => (await import('../user/commands.js')).buildOperatorCreate]],
  },
  {
    name: 'key',
    about: 'API keys',
    commands: [
      ['create', async () => (await key()).buildKeyCreate],
      ['list', async () => (await key()).buildKeyList],
      ['update', async () => (await key()).buildKeyUpdate],
      ['rotate', async () => (await key()).buildKeyRotate],
      ['revoke', async () => (await key()).buildKeyRevoke],
    ],
  },
  {
    name: 'task',
    about: 'Tasks of all accounts',
    commands: [
      ['show', async () => (await task()).buildTaskShow],
      ['requeue', async () => (await task()).buildTaskRequeue],
      ['cancel', async () => (await task()).buildTaskCancel],
      ['delete', async () => (await task()).buildTaskDelete],
      ['fail', async () => (await task()).buildTaskFail],
      ['refund', async () => (await task()).buildTaskRefund],
    ],
  },
  {
    name: 'endpoint',
    about: 'Addresses that events are sent to',
    commands: [
      ['create', async () => (await endpoint()).buildEndpointCreate],
      ['list', async () => (await endpoint()).buildEndpointList],
      ['delete', async () => (await endpoint()).buildEndpointDelete],
    ],
  },
  {
    name: 'webhook',
    about: 'Webhook deliveries',
    commands: [
      ['list', async () => (await webhook()).buildWebhookList],
      ['resend', async () => (await webhook()).buildWebhookResend],
    ],
  },
  {
    name: 'catalog',
    about: 'Models, prices and routes',
    commands: [
      ['show', async () => (await import('../catalog/commands/catalog-versions.js')).buildCatalogShow],
      ['check', async () => (await import('../catalog/commands/catalog-check.js')).buildCatalogCheck],
      ['apply', async () => (await import('../catalog/commands/catalog-apply.js')).buildCatalogApply],
      ['set-price', async () => (await import('../catalog/commands/catalog-edits.js')).buildCatalogSetPrice],
      ['enable', async () => (await import('../catalog/commands/catalog-edits.js')).buildCatalogEnable],
      ['disable', async () => (await import('../catalog/commands/catalog-edits.js')).buildCatalogDisable],
      ['history', async () => (await import('../catalog/commands/catalog-versions.js')).buildCatalogHistory],
      [
        'rollback',
        async () => (await import('../catalog/commands/catalog-versions.js')).buildCatalogRollback,
      ],
      ['sync', async () => (await import('../catalog/commands/catalog-sync.js')).buildCatalogSync],
    ],
  },
  {
    name: 'provider',
    about: 'Providers of images',
    commands: [
      ['key', async () => (await import('../provider/commands/provider-key.js')).buildProviderKey],
      ['check', async () => (await import('../provider/commands/provider-check.js')).buildProviderCheck],
      ['limit', async () => (await import('../provider/commands/provider-limit.js')).buildProviderLimit],
      ['pause', async () => (await import('../provider/commands/provider-limit.js')).buildProviderPause],
      ['resume', async () => (await import('../provider/commands/provider-limit.js')).buildProviderResume],
    ],
  },
  {
    name: '',
    about: '',
    commands: [['providers', async () => (await import('../provider/commands/providers.js')).buildProviders]],
  },
  {
    name: '',
    about: '',
    commands: [['migrate', async () => (await import('../system/commands/migrate.js')).buildMigrate]],
  },
  {
    name: 'retention',
    about: 'How long tasks are kept',
    commands: [['run', async () => (await import('../system/commands/retention-run.js')).buildRetentionRun]],
  },
  {
    name: 'ledger',
    about: 'The books',
    commands: [
      ['check', async () => (await ledger()).buildLedgerCheck],
      ['recount', async () => (await ledger()).buildLedgerRecount],
    ],
  },
  {
    name: '',
    about: '',
    commands: [['doctor', async () => (await import('../doctor/doctor.js')).buildDoctor]],
  },
];

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
  run: CliRun,
  output: HelpOutput,
  argv: readonly string[],
): Promise<CommandUnknownOpts> {
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
  for (const { name, about, commands } of selectGroups(argv)) {
    const group = name === '' ? program : program.command(name).description(about);
    for (const build of await Promise.all(commands.map(([, load]) => load()))) {
      const command = build(run);
      adoptSettings(command, program);
      group.addCommand(command);
    }
  }
  return program;
}

/** Returns the group of the command that is called with this command alone; all groups where none is. */
function selectGroups(argv: readonly string[]): typeof GROUPS {
  const [first, second] = argv.filter((word) => !word.startsWith('-'));
  for (const group of GROUPS) {
    const called = group.name === '' ? first : first === group.name && second;
    const commands = group.commands.filter(([word]) => word === called);
    if (commands.length > 0) {
      return [{ ...group, commands }];
    }
  }
  return GROUPS;
}

/** Gives a command, and those below it, the settings of its parent. */
function adoptSettings(command: CommandUnknownOpts, parent: CommandUnknownOpts): void {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) {
    adoptSettings(child, command);
  }
}
