#!/usr/bin/env node
// Checks the files in deploy/ with the tools they are made for. A check whose tool is missing is skipped.
// `--install` puts missing tools into a cache.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { summaryLine } from './summary-line.mjs';

const cache =
  process.env.DEPLOY_TOOLS_DIR ||
  path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'image-gateway', 'deploy-tools');

/** Runs a command in a shell for its exit code; its output is shown when it fails. */
function run(command, env = {}) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    encoding: 'utf8',
    env: { ...process.env, ...env, PATH: `${process.env.PATH}:${cache}`, TOOLS: cache },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { passed: status === 0, output: `${stdout}${stderr}` };
}

const UNPACK = `mkdir -p "$TOOLS" && work=$(mktemp -d) && cd "$work" && { apt-get download -q prometheus || { apt-get update -q && apt-get download -q prometheus; }; } &&
  dpkg -x prometheus_*.deb . && cp usr/bin/promtool usr/bin/prometheus "$TOOLS" && rm -r "$work"`;
const INSTALL = {
  promtool: UNPACK,
};
const METRICS = `node --input-type=module --eval "import { createMetrics } from '@image-gateway/shared/metrics';
  process.stdout.write(await createMetrics('any').registry.metrics())"`;
const CHECKS = [
  { tool: 'promtool', title: 'alert rules', command: 'promtool check rules deploy/prometheus/alerts.yaml' },
  {
    tool: 'promtool',
    title: 'tests of the alert rules',
    command: 'promtool test rules deploy/prometheus/alerts.test.yaml',
  },
  {
    tool: 'promtool',
    title: 'names and help of metrics',
    command: `text=$(${METRICS}) && printf '%s\\n' "$text" | promtool check metrics`,
  },
];

const counts = { passed: 0, failed: 0, skipped: 0 };
const mayInstall = process.argv.includes('--install');
const has = (tool) => run(`command -v ${tool}`).passed;
for (const tool of new Set(CHECKS.map((check) => check.tool))) {
  if (mayInstall && !has(tool)) {
    process.stdout.write(`Installing ${tool}…\n`);
    const { passed, output } = run(INSTALL[tool]);
    process.stdout.write(passed ? '' : output);
  }
}
for (const { tool, title, command } of CHECKS) {
  if (!has(tool)) {
    counts.skipped += 1;
    process.stdout.write(`Left out: ${title}, there is no ${tool}.\n`);
    continue;
  }
  const { passed, output } = run(command);
  counts[passed ? 'passed' : 'failed'] += 1;
  process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${title}\n${passed ? '' : output}`);
}
fs.writeSync(1, `${summaryLine(counts)}\n`);
process.exit(counts.failed > 0 ? 1 : 0);
