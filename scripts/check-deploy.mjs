#!/usr/bin/env node
// Checks the files in deploy/ and the compose file with the tools they are made for. A check whose tool is missing is skipped.
// `--install` puts missing tools into a cache.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { listUntried, SWITCHED_OFF_ALONE, USED_ALONE } from './deploy/chart-values.mjs';
import { parseOptions } from './options/parse-options.mjs';
import { summaryLine } from './testing/summary-line.mjs';

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

/** Copies files of Go modules to the folder with schemas. */
const fromModule = (module, files) =>
  `folder=$(go mod download -json ${module} | sed -n 's/.*"Dir": "\\(.*\\)".*/\\1/p') && (cd "$folder" && cp ${files} "$TOOLS/schemas")`;
const SCHEMAS = [
  'mkdir -p "$TOOLS/schemas" && cd "$(mktemp -d)"',
  fromModule(
    'github.com/kedacore/keda/v2@v2.21.0',
    'config/crd/bases/keda.sh_scaledobjects.yaml config/crd/bases/keda.sh_triggerauthentications.yaml',
  ),
  fromModule(
    'sigs.k8s.io/gateway-api@v1.4.1',
    'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
  ),
  fromModule(
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
  ),
].join(' && ');
const UNPACK = `mkdir -p "$TOOLS" && work=$(mktemp -d) && cd "$work" &&
      { apt-get download -q prometheus || { apt-get update -q && apt-get download -q prometheus; }; } &&
  dpkg -x prometheus_*.deb . && cp usr/bin/promtool usr/bin/prometheus "$TOOLS" && rm -r "$work"`;
const goInstall = (module) => `mkdir -p "$TOOLS" && GOBIN="$TOOLS" CGO_ENABLED=0 go install ${module}`;
// Its module excludes versions of others, which `go install` takes from no module but its own.
const COMPOSE = `mkdir -p "$TOOLS" && work=$(mktemp -d) && cd "$work" && go mod init tools &&
      go get github.com/docker/compose/v2/cmd@v2.40.3 &&
  CGO_ENABLED=0 go build -o "$TOOLS/docker-compose" -ldflags '-s -w' github.com/docker/compose/v2/cmd && rm -r "$work"`;
const INSTALL = {
  promtool: UNPACK,
  'docker-compose': COMPOSE,
  actionlint: goInstall('github.com/rhysd/actionlint/cmd/actionlint@v1.7.8'),
  helm: goInstall('helm.sh/helm/v3/cmd/helm@v3.22.0'),
  // It knows the schemas of Kubernetes; those of others are in their own modules.
  'kubectl-validate': `${goInstall('sigs.k8s.io/kubectl-validate@v0.0.4')} && ${SCHEMAS}`,
};
const CHART = 'deploy/helm/image-gateway';
// A helm that was built from its module takes itself for a version that no longer exists.
const RENDER = `helm template gateway ${CHART} --kube-version 1.30.0`;
const FIRST_LINE = `sed -n '/^(umask 077; cp .env.example .env/p' docs/deploying-compose.md`;
const COMPOSE_COPY = 'folder=$(mktemp -d) && cp -r .env.example docker "$folder"';
const METRICS = `node --input-type=module --eval "import { createMetrics } from '@image-gateway/shared/metrics';
  process.stdout.write(await createMetrics('any').registry.metrics())"`;
const EVERYTHING = Object.values(USED_ALONE)
  .map(([options]) => options)
  .join(' ');
const validate = (options) =>
  `file=$(mktemp --suffix .yaml) && ${RENDER} ${options} >"$file" &&
      kubectl-validate "$file" --version 1.30 --local-crds "$TOOLS/schemas"`;
const countText = (options, text) => `$(${RENDER} ${options} | grep -c -F -- '${text}')`;
const CHECKS = [
  { tool: 'actionlint', title: 'workflows', command: 'actionlint .github/workflows/*.yaml' },
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
  {
    tool: 'docker-compose',
    title: 'compose file without secrets is refused',
    command: `${COMPOSE_COPY} && cd "$folder" && cp .env.example .env && ! docker-compose config --quiet`,
  },
  {
    tool: 'docker-compose',
    title: 'compose file with the secrets that the first line of docs/deploying-compose.md makes',
    command: `${COMPOSE_COPY} && line=$(${FIRST_LINE}) && cd "$folder" && sh -c "$line" && docker-compose config --quiet`,
  },
  {
    tool: 'docker-compose',
    title: 'compose files with MinIO, and with both stores while an installation leaves it',
    command: `${COMPOSE_COPY} && line=$(${FIRST_LINE}) && cd "$folder" && sh -c "$line" &&
      export MINIO_ROOT_PASSWORD=secret S3_ENDPOINT=http://minio:9000 COMPOSE_FILE=docker/compose.yaml:docker/compose.minio.yaml &&
      ! docker-compose config --services | grep -qx store && docker-compose --profile off config --services | grep -qx store`,
  },
  { tool: 'helm', title: 'chart', command: `helm lint --strict ${CHART} --kube-version 1.30.0` },
  {
    tool: 'helm',
    title:
      'the address of the mail server comes from its secret, for API and webhook workers, and only where it is named',
    command: `! ${RENDER} | grep SMTP_URL &&
      test "$(${RENDER} --set secrets.mail=mail | grep -A4 'name: SMTP_URL' | grep -c 'name: mail')" = 2 &&
      ! ${RENDER} --set settings.SMTP_URL=smtp://mail`,
  },
  {
    tool: 'helm',
    title: 'the key that encrypts keys of providers comes from their secret, and is no setting',
    command: `test "$(${RENDER} | grep -A3 'name: ENCRYPTION_KEY' | grep -c secretKeyRef)" = 1 &&
      ! ${RENDER} --set settings.ENCRYPTION_KEY=key`,
  },
  {
    tool: 'helm',
    title:
      'the migration is a hook before the pods of an upgrade, and the selector of UPGRADING.md names all that a stop pauses and scales',
    command: `file=$(mktemp) && ${RENDER} >"$file" && grep -q 'helm.sh/hook: pre-install,pre-upgrade' "$file" &&
      test "$(grep -cE '^kind: (Deployment|ScaledObject)$' "$file")" = 5 &&
      test "$(grep -cE '^    app.kubernetes.io/instance: gateway$' "$file")" -ge 5 &&
      test "$(grep -c 'selector app.kubernetes.io/instance=gateway' UPGRADING.md)" = 4`,
  },
  {
    tool: 'helm',
    title: 'misspelt values are refused',
    command: `! ${RENDER} --set generationWorker.replica=3 && ! ${RENDER} --set settings.GENERATION_CONCURENCY=3`,
  },
  {
    tool: 'kubectl-validate',
    title: 'schemas of what the chart renders',
    command: validate(''),
  },
  {
    tool: 'kubectl-validate',
    title: 'schemas of what the chart renders with every value in use',
    command: validate(EVERYTHING),
  },
  ...Object.entries(USED_ALONE).map(([name, [options, text]]) => ({
    tool: 'kubectl-validate',
    title: `${name} alone in use`,
    command: `test ${countText(options, text)} -gt ${countText('', text)} && ${validate(options)}`,
  })),
  ...Object.entries(SWITCHED_OFF_ALONE).map(([name, [options, text]]) => ({
    tool: 'kubectl-validate',
    title: `${name} alone switched off`,
    command: `test ${countText(options, text)} -lt ${countText('', text)} && ${validate(options)}`,
  })),
  {
    tool: 'helm',
    title: 'an Ingress without a host and a route without a Gateway are refused',
    command: `! ${RENDER} --set api.ingress.enabled=true && ! ${RENDER} --set api.httpRoute.enabled=true`,
  },
  {
    tool: 'helm',
    title: 'the chart as a release packs it',
    command: `out=$(mktemp -d) && PACK_ONLY="$out" scripts/release/push-chart.sh ghcr.io/owner 9.9.9 &&
      helm template gateway "$out/image-gateway-9.9.9.tgz" --kube-version 1.30.0 | grep -q 'image: ghcr.io/owner/image-gateway-api:9.9.9'`,
  },
];

const USAGE = `Usage: node scripts/check-deploy.mjs [--install]

Checks the files in deploy/ and the compose file with the tools they are made for.

  --install    installs missing tools into a cache; without it their checks are skipped
  -h, --help   prints this`;
const options = parseOptions(USAGE, { options: { install: { type: 'boolean' } } });
if (options === null) {
  process.exit(0);
}
const counts = { passed: 0, failed: 0, skipped: 0 };
const mayInstall = options.values.install === true;
/** Files that a tool needs beside itself. */
const NEEDS = { 'kubectl-validate': '"$TOOLS/schemas/monitoring.coreos.com_podmonitors.yaml"' };
const has = (tool) => run(`command -v ${tool} && test -e ${NEEDS[tool] ?? '/'}`).passed;
for (const tool of new Set(CHECKS.map((check) => check.tool))) {
  if (mayInstall && !has(tool)) {
    process.stdout.write(`Installing ${tool}…\n`);
    const { passed, output } = run(INSTALL[tool]);
    process.stdout.write(passed ? '' : output);
  }
}
const untried = listUntried(parse(fs.readFileSync(`${CHART}/values.yaml`, 'utf8')));
for (const name of untried) {
  counts.failed += 1;
  process.stdout.write(`FAILED ${name} is in neither table of scripts/deploy/chart-values.mjs\n`);
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
if (counts.passed + counts.failed === 0) {
  process.stdout.write(
    'Nothing was checked: none of the tools is here. --install installs them into a cache.\n',
  );
}
fs.writeSync(1, `${summaryLine(counts)}\n`);
process.exit(counts.failed > 0 ? 1 : 0);
