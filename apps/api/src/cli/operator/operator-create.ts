import { createOperator } from '../../commands/create-operator.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

/** `operator create`: a log-in for somebody who runs the gateway. */
export const operatorCreate: CliCommand = {
  name: 'operator create',
  summary: 'Create the log-in of an operator, who owns no account',
  options: {
    email: { value: 'E', help: 'e-mail address', required: true },
    password: { value: 'P', help: '8 to 128 characters', required: true },
  },
  example: "operator create --email ops@example.com --password 'correct horse 9 battery'",
  run: async (context, input) => {
    const login = { email: input.option('email'), password: input.option('password'), actor: 'cli' };
    const { id, email } = await createOperator({ db: context.db() }, login);
    const value = { id, email, role: 'operator' };
    return { value, text: renderFields(value) };
  },
};
