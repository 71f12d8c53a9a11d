import { defineCommand, fields, needed } from '../cli/define-command.js';
import { passwordOptions, requirePassword } from '../cli/read-password.js';
import { createOperator } from './create-operator.js';

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
      const user = { email: given, password, actor: 'cli' };
      const { id, email } = await createOperator({ db: context.db() }, user);
      return fields({ id, email, role: 'operator' });
    },
  }),
};
