import { defineCommand, fields, needed, table } from '../cli/define-command.js';
import { passwordOptions, requirePassword } from '../cli/read-password.js';
import { changeEmail } from './change-email.js';
import { createOperator, listOperators, removeOperator } from './operators.js';

const actor = 'cli';
const MAX_OPERATORS = 10_000;

/** Commands `operator …`. */
export const commands = {
  create: defineCommand({
    about: 'Create an operator, a user of the dashboard without an account',
    options: {
      email: needed('<address>', 'e-mail address, which no other user has'),
      ...passwordOptions,
    },
    example: "--email ops@example.com --password 'correct horse 9 battery'",
    run: async (context, { email: given, ...passwords }) => {
      const missing = 'An operator needs --password or --password-stdin.';
      const password = await requirePassword(context, passwords, missing);
      const { id, email } = await createOperator({ db: context.db() }, { email: given, password, actor });
      return fields({ id, email, role: 'operator' });
    },
  }),
  list: defineCommand({
    about: 'List operators, the first one first',
    run: async ({ db }) =>
      table(
        await listOperators(db(), MAX_OPERATORS),
        'There is no operator. Create one with: operator create',
      ),
  }),
  'set-email': defineCommand({
    about: 'Give an operator another address; ends the sessions of the operator',
    args: { id: 'operator' },
    options: { email: needed('<address>', 'new e-mail address, which nobody has') },
    example: 'usr_… --email ops@example.org',
    run: async ({ db }, { id, email: given }) => {
      const wanted = { accountId: null, user: id, email: given, sendsMail: false, actor };
      const { email } = await changeEmail(db(), wanted);
      return fields({ id, email }, 'No mail is sent: tell the operator.');
    },
  }),
  remove: defineCommand({
    about: 'Remove an operator, whose sessions end at once; never the last one',
    args: { id: 'operator' },
    example: 'usr_…',
    run: async ({ db }, { id }) => {
      await removeOperator({ db: db() }, { id, actor });
      return fields({ id, removed: true });
    },
  }),
};
