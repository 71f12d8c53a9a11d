import type { TestAccount } from '@image-gateway/testing';
import { runCommand } from '../cli/support/run-command.js';
import type { Answer, TestApi } from './start-api.js';

/** Returns a function that creates a key of an account by the command line, with options of `key create`. */
export function createKeyMaker(
  api: TestApi,
  account: TestAccount,
): (...options: string[]) => Promise<TestAccount> {
  return async (...options) => {
    const command = ['key', 'create', '--account', account.id, ...options];
    const { value } = await runCommand<{ id: string; key: string }>({ db: api.test.db }, ...command);
    return { ...account, apiKeyId: value.id, apiKey: value.key };
  };
}

/** Returns what an error response says: status, code and message. */
export function getMessage({ status, json }: Answer): readonly [number, string, string] {
  return [status, json.error.code, json.error.message];
}
