import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { CliRun } from './cli-context.js';
import { CALL, HELP } from './help.js';

type BuildCommand = (run: CliRun) => CommandUnknownOpts;
/** Last word of a command, and what loads it: most commands load more than the others need. */
type LazyCommand = readonly [word: string, load: () => Promise<BuildCommand>];

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
      ['create', async () => (await import('./account/account-create.js')).buildAccountCreate],
      ['list', async () => (await import('./account/account-list.js')).buildAccountList],
      ['show', async () => (await import('./account/account-show.js')).buildAccountShow],
      ['credit', async () => (await import('./account/account-credit.js')).buildAccountCredit],
      ['adjust', async () => (await import('./account/account-adjust.js')).buildAccountAdjust],
      ['limits', async () => (await import('./account/account-limits.js')).buildAccountLimits],
      ['suspend', async () => (await import('./account/account-status.js')).buildAccountSuspend],
      ['resume', async () => (await import('./account/account-status.js')).buildAccountResume],
      [
        'rotate-webhook-secret',
        async () =>
          (await import('./account/account-rotate-webhook-secret.js')).buildAccountRotateWebhookSecret,
      ],
      [
        'set-password',
        async () => (await import('./account/account-set-password.js')).buildAccountSetPassword,
      ],
    ],
  },
  {
    name: 'operator',
    about: 'Users who run the gateway',
    commands: [['create', async () => (await import('./operator/operator-create.js')).buildOperatorCreate]],
  },
  {
    name: 'key',
    about: 'API keys',
    commands: [
      ['create', async () => (await import('./key/key-create.js')).buildKeyCreate],
      ['list', async () => (await import('./key/key-list.js')).buildKeyList],
      ['update', async () => (await import('./key/key-update.js')).buildKeyUpdate],
      ['rotate', async () => (await import('./key/key-rotate.js')).buildKeyRotate],
      ['revoke', async () => (await import('./key/key-revoke.js')).buildKeyRevoke],
    ],
  },
  {
    name: 'task',
    about: 'Tasks of all accounts',
    commands: [
      ['show', async () => (await import('./task/task-show.js')).buildTaskShow],
      ['requeue', async () => (await import('./task/task-requeue.js')).buildTaskRequeue],
      ['cancel', async () => (await import('./task/task-cancel.js')).buildTaskCancel],
      ['delete', async () => (await import('./task/task-delete.js')).buildTaskDelete],
      ['fail', async () => (await import('./task/task-fail.js')).buildTaskFail],
      ['refund', async () => (await import('./task/task-refund.js')).buildTaskRefund],
    ],
  },
  {
    name: 'endpoint',
    about: 'Addresses that events are sent to',
    commands: [
      ['create', async () => (await import('./endpoint/endpoint-commands.js')).buildEndpointCreate],
      ['list', async () => (await import('./endpoint/endpoint-commands.js')).buildEndpointList],
      ['delete', async () => (await import('./endpoint/endpoint-commands.js')).buildEndpointDelete],
    ],
  },
  {
    name: 'webhook',
    about: 'Webhook deliveries',
    commands: [
      ['list', async () => (await import('./webhook/webhook-list.js')).buildWebhookList],
      ['resend', async () => (await import('./webhook/webhook-resend.js')).buildWebhookResend],
    ],
  },
  {
    name: 'catalog',
    about: 'Models, prices and routes',
    commands: [
      ['show', async () => (await import('./catalog/catalog-show.js')).buildCatalogShow],
      ['check', async () => (await import('./catalog/catalog-check.js')).buildCatalogCheck],
      ['apply', async () => (await import('./catalog/catalog-apply.js')).buildCatalogApply],
      ['set-price', async () => (await import('./catalog/catalog-edits.js')).buildCatalogSetPrice],
      ['enable', async () => (await import('./catalog/catalog-edits.js')).buildCatalogEnable],
      ['disable', async () => (await import('./catalog/catalog-edits.js')).buildCatalogDisable],
      ['history', async () => (await import('./catalog/catalog-history.js')).buildCatalogHistory],
      ['rollback', async () => (await import('./catalog/catalog-rollback.js')).buildCatalogRollback],
      ['sync', async () => (await import('./catalog/catalog-sync.js')).buildCatalogSync],
      [
        'import-routes',
        async () => (await import('./catalog/catalog-import-routes.js')).buildCatalogImportRoutes,
      ],
    ],
  },
  {
    name: 'provider',
    about: 'Providers of images',
    commands: [
      ['key', async () => (await import('./provider/provider-key.js')).buildProviderKey],
      ['check', async () => (await import('./provider/provider-check.js')).buildProviderCheck],
      ['limit', async () => (await import('./provider/provider-limit.js')).buildProviderLimit],
      ['pause', async () => (await import('./provider/provider-limit.js')).buildProviderPause],
      ['resume', async () => (await import('./provider/provider-limit.js')).buildProviderResume],
    ],
  },
  {
    name: '',
    about: '',
    commands: [['providers', async () => (await import('./providers/providers.js')).buildProviders]],
  },
  {
    name: '',
    about: '',
    commands: [['migrate', async () => (await import('./migrate/migrate.js')).buildMigrate]],
  },
  {
    name: 'retention',
    about: 'How long tasks are kept',
    commands: [['run', async () => (await import('./retention/retention-run.js')).buildRetentionRun]],
  },
  {
    name: 'ledger',
    about: 'The books',
    commands: [
      ['check', async () => (await import('./ledger/ledger-check.js')).buildLedgerCheck],
      ['recount', async () => (await import('./ledger/ledger-recount.js')).buildLedgerRecount],
    ],
  },
  {
    name: '',
    about: '',
    commands: [['doctor', async () => (await import('./doctor/doctor.js')).buildDoctor]],
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
