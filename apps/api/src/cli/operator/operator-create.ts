import { createOperator } from '../../operations/user/create-operator.js';
import type { CliCommand } from '../cli-command.js';
import { PASSWORD_OPTIONS, readPassword } from '../read-password.js';
import { renderFields } from '../render-fields.js';
import { usageError } from '../usage-error.js';

/** `operator create`: a log-in for somebody who runs the gateway. */
export const operatorCreate: CliCommand = {
  name: 'operator create',
  summary: 'Create the log-in of an operator, who owns no account',
  options: {
    email: { value: 'E', help: 'e-mail address', required: true },
    ...PASSWORD_OPTIONS,
  },
  example: "operator create --email ops@example.com --password 'correct horse 9 battery'",
  run: async (context, input) => {
    const password = await readPassword(context, input);
    if (password === undefined) throw usageError('An operator needs --password or --password-stdin.');
    const login = { email: input.option('email'), password, actor: 'cli' };
    const { id, email } = await createOperator({ db: context.db() }, login);
    const value = { id, email, role: 'operator' };
    return { value, text: renderFields(value) };
  },
};
