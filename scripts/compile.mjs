// Compiles TypeScript (`tsc -b` with the given arguments) and copies the SQL files of packages/shared beside the compiled modules.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const SHARED = path.join(ROOT, 'packages/shared');

const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
const { error, status } = spawnSync(tsc, ['-b', ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
if (error) {
  throw error;
}
for (const name of fs.readdirSync(path.join(SHARED, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (name.endsWith('.sql')) {
    fs.cpSync(path.join(SHARED, 'src', name), path.join(SHARED, 'dist', name));
  }
}
process.exitCode = status ?? 1;
