import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const packageRoot = path.resolve(import.meta.dirname, '../..');

/** Runs a few lines of code with a logger on standard output, in a process of their own. */
async function loggedBy(code: string): Promise<string[]> {
  const source = `import { createLogger } from '@image-gateway/shared/logging';
    const logger = createLogger({ service: 'test', level: 'info' });
    ${code}`;
  const args = ['--conditions=@image-gateway/source', '--import', 'tsx', '--input-type=module', '-e', source];
  const { stdout } = await run(process.execPath, args, { cwd: packageRoot }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { message: string }).message);
}

test('what was logged before the process ends is written, in order', async () => {
  expect(
    await loggedBy(`
      for (let i = 0; i < 3; i++) logger.info('line ' + i);
      logger.error('urgent');
      logger.info('last');
      process.exit(3);`),
  ).toEqual(['line 0', 'line 1', 'line 2', 'urgent', 'last']);
});

test('an error that ends the process does not take the lines before it along', async () => {
  expect(await loggedBy(`logger.info('before'); throw new Error('gone');`)).toEqual(['before']);
});
