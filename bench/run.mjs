// npm run bench: installs and builds what has changed, then measures. Arguments are those of src/main.ts.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { bootstrap, everything } from '../scripts/bootstrap.mjs';

const root = path.resolve(import.meta.dirname, '..');
await bootstrap({ goals: everything, out: process.stdout });
const main = path.join(import.meta.dirname, 'src/main.ts');
const child = spawn(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
// Ctrl-C reaches the child too, which stops what it has started; it is waited for.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
