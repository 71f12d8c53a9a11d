import { accountCreate } from './account/account-create.js';
import type { CliCommand } from './cli-command.js';
import { keyCreate } from './key/key-create.js';

/** Every command of the operator command line, in the order of the help. */
export const COMMANDS: readonly CliCommand[] = [accountCreate, keyCreate];
