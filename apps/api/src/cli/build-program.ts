import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { buildAccountAdjust } from './account/account-adjust.js';
import { buildAccountCreate } from './account/account-create.js';
import { buildAccountCredit } from './account/account-credit.js';
import { buildAccountLimits } from './account/account-limits.js';
import { buildAccountList } from './account/account-list.js';
import { buildAccountRotateWebhookSecret } from './account/account-rotate-webhook-secret.js';
import { buildAccountSetPassword } from './account/account-set-password.js';
import { buildAccountShow } from './account/account-show.js';
import { buildAccountResume, buildAccountSuspend } from './account/account-status.js';
import { buildCatalogApply } from './catalog/catalog-apply.js';
import { buildCatalogCheck } from './catalog/catalog-check.js';
import { buildCatalogDisable, buildCatalogEnable, buildCatalogSetPrice } from './catalog/catalog-edits.js';
import { buildCatalogHistory } from './catalog/catalog-history.js';
import { buildCatalogImportRoutes } from './catalog/catalog-import-routes.js';
import { buildCatalogRollback } from './catalog/catalog-rollback.js';
import { buildCatalogShow } from './catalog/catalog-show.js';
import { buildCatalogSync } from './catalog/catalog-sync.js';
import type { CliRun } from './cli-context.js';
import { buildDoctor } from './doctor/doctor.js';
import { buildEndpointCreate, buildEndpointDelete, buildEndpointList } from './endpoint/endpoint-commands.js';
import { CALL, HELP } from './help.js';
import { buildKeyCreate } from './key/key-create.js';
import { buildKeyList } from './key/key-list.js';
import { buildKeyRevoke } from './key/key-revoke.js';
import { buildKeyUpdate } from './key/key-update.js';
import { buildLedgerCheck } from './ledger/ledger-check.js';
import { buildLedgerRecount } from './ledger/ledger-recount.js';
import { buildMigrate } from './migrate/migrate.js';
import { buildOperatorCreate } from './operator/operator-create.js';
import { buildProviders } from './providers/providers.js';
import { buildRetentionRun } from './retention/retention-run.js';
import { buildTaskCancel } from './task/task-cancel.js';
import { buildTaskDelete } from './task/task-delete.js';
import { buildTaskFail } from './task/task-fail.js';
import { buildTaskRefund } from './task/task-refund.js';
import { buildTaskRequeue } from './task/task-requeue.js';
import { buildTaskShow } from './task/task-show.js';
import { buildWebhookList } from './webhook/webhook-list.js';
import { buildWebhookResend } from './webhook/webhook-resend.js';

type BuildCommand = (run: CliRun) => CommandUnknownOpts;

/** Commands by group in the order of the help; those of the group '' have one word. */
const GROUPS: readonly {
  readonly name: string;
  readonly about: string;
  readonly commands: BuildCommand[];
}[] = [
  {
    name: 'account',
    about: 'Customer accounts',
    commands: [
      buildAccountCreate,
      buildAccountList,
      buildAccountShow,
      buildAccountCredit,
      buildAccountAdjust,
      buildAccountLimits,
      buildAccountSuspend,
      buildAccountResume,
      buildAccountRotateWebhookSecret,
      buildAccountSetPassword,
    ],
  },
  { name: 'operator', about: 'Users who run the gateway', commands: [buildOperatorCreate] },
  {
    name: 'key',
    about: 'API keys',
    commands: [buildKeyCreate, buildKeyList, buildKeyUpdate, buildKeyRevoke],
  },
  {
    name: 'task',
    about: 'Tasks of all accounts',
    commands: [
      buildTaskShow,
      buildTaskRequeue,
      buildTaskCancel,
      buildTaskDelete,
      buildTaskFail,
      buildTaskRefund,
    ],
  },
  {
    name: 'endpoint',
    about: 'Addresses that events are sent to',
    commands: [buildEndpointCreate, buildEndpointList, buildEndpointDelete],
  },
  { name: 'webhook', about: 'Webhook deliveries', commands: [buildWebhookList, buildWebhookResend] },
  {
    name: 'catalog',
    about: 'Models, prices and routes',
    commands: [
      buildCatalogShow,
      buildCatalogCheck,
      buildCatalogApply,
      buildCatalogSetPrice,
      buildCatalogEnable,
      buildCatalogDisable,
      buildCatalogHistory,
      buildCatalogRollback,
      buildCatalogSync,
      buildCatalogImportRoutes,
    ],
  },
  { name: '', about: '', commands: [buildProviders] },
  { name: '', about: '', commands: [buildMigrate] },
  { name: 'retention', about: 'How long tasks are kept', commands: [buildRetentionRun] },
  { name: 'ledger', about: 'The books', commands: [buildLedgerCheck, buildLedgerRecount] },
  { name: '', about: '', commands: [buildDoctor] },
];

/** Receives what the help prints. */
export interface HelpOutput {
  readonly write: (text: string) => void;
  /** Width of the terminal in characters. */
  readonly columns: number;
}

/** Builds the operator command line. A wrong command line throws CommanderError, `--help` as well, after printing to `output`. */
export function buildProgram(run: CliRun, output: HelpOutput): CommandUnknownOpts {
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
  for (const { name, about, commands } of GROUPS) {
    const group = name === '' ? program : program.command(name).description(about);
    for (const build of commands) {
      const command = build(run);
      command.copyInheritedSettings(program);
      group.addCommand(command);
    }
  }
  return program;
}
