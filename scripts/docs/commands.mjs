/**
 * Commands of the documents that scripts/docs-commands.mjs does not run, each with the reason. Commands that match none of
 * them are run, so that a new one is tried or has its reason here.
 * @type {readonly (readonly [pattern: RegExp, why: string])[]}
 */
export const NOT_RUN = [
  [
    /^docker |\bdocker compose\b|>> ?\.env|\.env\b/,
    'an engine: .ci/long images builds them, .ci/run checks the compose file',
  ],
  [/^(kubectl|helm) /, 'a cluster: .ci/run renders the chart and checks it against the schemas'],
  [/^(useradd|install|systemctl|set -a|git clone) /, 'systemd as root'],
  [/^git fetch/, 'another commit: npm run test:upgrade upgrades from the last two releases'],
  [/^cosign /, 'published images'],
  [
    /^(vllm|python main\.py|claude|minio|versitygw|MINIO_ROOT_USER=|ROOT_ACCESS_KEY=|mkdir -p \/srv)/,
    'a program of others',
  ],
  [/@modelcontextprotocol\/inspector/, 'the inspector: .ci/mcp runs it'],
  [/^npm (test|run (test:|object-stores:build))/, 'a test that .ci/run or .ci/long runs'],
  [/^(DATABASE_URL=|S3_ENDPOINT=)/, 'services of your own: npm run test:variants runs on them'],
  [/gateway (backup|restore) \/backups/, 'a gateway that has ended: tests/integration/backups runs them'],
  [/^(pg_dump|createdb|pg_restore) /, 'a database of your own'],
  [/^PORT=8080 DATA_DIR=\/srv/, 'a folder outside of the clone'],
  [/provider key (set|remove)/, "a provider's real key"],
  [/ --draw$/, 'somebody who agrees to the cost: the tests of the command line'],
  [/example\.com\/fox\.png/, 'an image of others'],
];

/** Pages whose blocks are run as they stand by another test. */
export const TESTED_ELSEWHERE = { 'docs/clients/': 'tests/acceptance/client-recipes.test.ts' };

/**
 * Returns the commands of the shell blocks of a page, in their order; a command may have several lines.
 * @param {string} text
 * @returns {{ line: number, command: string }[]}
 */
export function listCommands(text) {
  const commands = [];
  let inBlock = false;
  let open = '';
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) {
      inBlock = line === '```sh';
      open = '';
      continue;
    }
    if (!inBlock) {
      continue;
    }
    const whole = open + line;
    open = /\\$/.test(line) ? `${whole}\n` : '';
    const command = whole.replace(/\s+#\s.*$/, '').trim();
    if (open === '' && command !== '' && !command.startsWith('#')) {
      commands.push({ line: index + 1, command });
    }
  }
  return commands;
}
