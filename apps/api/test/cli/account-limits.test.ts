import { createTestAccount, createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const run = (...args: string[]) => runCommand<Record<string, unknown>>({ db: database.db }, ...args);

describe('account limits', () => {
  test('account limits are shown, set one by one, and removed by an empty value', async () => {
    const { id } = await createTestAccount(database);
    const limits = async (...options: string[]) => (await run('account', 'limits', id, ...options)).value;
    const none = { id, max_open_tasks: null, requests: null, failed: null, retention_days: null };
    expect(await limits()).toEqual(none);
    expect(await limits('--max-open', '7')).toEqual({ ...none, max_open_tasks: 7 });
    expect(await limits('--requests=90/60')).toEqual({
      ...none,
      max_open_tasks: 7,
      requests: '90/60',
    });
    const rates = { requests: '90/5', failed: '200/86400' };
    expect(await limits('--max-open=', '--requests=90/5', '--failed=200/86400')).toEqual({
      ...none,
      ...rates,
    });
    expect(await limits('--retention-days=30')).toEqual({ ...none, ...rates, retention_days: 30 });
    expect(await limits('--requests=', '--failed=')).toEqual({ ...none, retention_days: 30 });
    expect(await limits('--retention-days=')).toEqual(none);
  });

  test.each(['0/60', '1.5/60', '-1/60', 'x', '60', '1000001/60', '5/0', '5/1000000', 'off'])(
    'account limits are not %s',
    async (value) => {
      const { id } = await createTestAccount(database);
      for (const option of ['max-open', 'requests', 'failed', 'retention-days']) {
        const { code, value: said } = await run('account', 'limits', id, `--${option}=${value}`);
        // A number alone is a limit of open tasks, or of days.
        if (['max-open', 'retention-days'].includes(option) && value === '60') {
          continue;
        }
        expect([code, said]).toEqual([1, { error: expect.objectContaining({ code: 'VALIDATION_ERROR' }) }]);
      }
    },
  );
});
