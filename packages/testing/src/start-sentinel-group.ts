import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askRedis } from './ask-redis.js';
import type { Certificates } from './create-certificates.js';
import { eventually } from './eventually.js';
import { findRedisServer } from './find-redis-server.js';
import { freePort } from './free-port.js';
import { killProcess } from './kill-process.js';

/** Two Redis servers with a password, and three Sentinels that watch them. */
export type SentinelGroup = Awaited<ReturnType<typeof startSentinelGroup>>;

const PASSWORD = 'p:ss';
const NAME = 'main';

/** Log-ins and encryption of a group. */
export interface SentinelGroupOptions {
  /** TLS to servers and Sentinels, users of their own at both, and a password at the Sentinels. */
  readonly certificates?: Certificates;
}

const USER = 'gateway';
const SENTINEL_PASSWORD = 'sentinel-secret';

/** Starts the group; Sentinels notice a dead primary after a second. */
export async function startSentinelGroup({ certificates }: SentinelGroupOptions = {}) {
  const file = await findRedisServer();
  const dir = mkdtempSync(path.join(tmpdir(), 'gw-sentinel-'));
  const children = new Map<number, ReturnType<typeof spawn>>();
  const start = async (lines: (port: number) => readonly string[], ...args: string[]): Promise<number> => {
    const port = await freePort();
    const config = path.join(dir, `${port}.conf`);
    const common = [
      ...(certificates
        ? [
            'port 0',
            `tls-port ${port}`,
            `tls-cert-file ${certificates.certificate}`,
            `tls-key-file ${certificates.key}`,
            `tls-ca-cert-file ${certificates.authority}`,
            'tls-auth-clients no',
            'tls-replication yes',
          ]
        : [`port ${port}`]),
      'bind 127.0.0.1',
      `dir ${dir}`,
      'loglevel warning',
    ];
    writeFileSync(config, [...common, ...lines(port), ''].join('\n'));
    children.set(port, spawn(file, [config, ...args], { stdio: 'ignore' }));
    return port;
  };
  const sentinelPassword = certificates && SENTINEL_PASSWORD;
  const ask = (port: number, words: readonly [string, ...string[]], password?: string) =>
    askRedis(port, words, {
      ...(password && { password }),
      ...(certificates && { tls: { ca: readFileSync(certificates.authority) } }),
    });
  const server = (more: readonly string[]) => (port: number) => [
    `dbfilename ${port}.rdb`,
    `requirepass ${PASSWORD}`,
    ...(certificates ? [`user ${USER} on >${PASSWORD} ~* &* +@all -@dangerous +info`] : []),
    `masterauth ${PASSWORD}`,
    'save ""',
    'repl-diskless-sync-delay 0',
    ...more,
  ];
  const primary = await start(server([]));
  await start(server([`replicaof 127.0.0.1 ${primary}`]));
  await eventually(
    async () => expectText(await ask(primary, ['INFO', 'replication'], PASSWORD), /state=online/),
    { timeoutMs: 20_000 },
  );
  const sentinels: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const watch = [
      `sentinel monitor ${NAME} 127.0.0.1 ${primary} 2`,
      `sentinel auth-pass ${NAME} ${PASSWORD}`,
      `sentinel down-after-milliseconds ${NAME} 1000`,
      `sentinel failover-timeout ${NAME} 3000`,
      ...(certificates
        ? [`requirepass ${SENTINEL_PASSWORD}`, `sentinel sentinel-pass ${SENTINEL_PASSWORD}`]
        : []),
    ];
    sentinels.push(await start(() => watch, '--sentinel'));
  }
  for (const port of sentinels) {
    await eventually(
      async () => {
        expectText(await ask(port, ['SENTINEL', 'CKQUORUM', NAME], sentinelPassword), /^OK 3/);
        expectText(
          JSON.stringify(await ask(port, ['SENTINEL', 'REPLICAS', NAME], sentinelPassword)),
          /"master-link-status","ok"/,
        );
      },
      { timeoutMs: 30_000 },
    );
  }
  /** Returns the port of the primary, as a Sentinel names it. */
  const findPrimaryPort = async (): Promise<number> => {
    const answer = await ask(
      sentinels[1] ?? 0,
      ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME],
      sentinelPassword,
    );
    return Number((answer as readonly string[])[1]);
  };
  const kill = (port: number) => killProcess(children.get(port));
  const hosts = sentinels.map((port) => `127.0.0.1:${port}`).join(',');
  return {
    url: certificates
      ? `rediss+sentinel://${USER}:${encodeURIComponent(PASSWORD)}@${hosts}/${NAME}?db=2&sentinel_password=${SENTINEL_PASSWORD}`
      : `redis+sentinel://:${encodeURIComponent(PASSWORD)}@${hosts}/${NAME}?db=2`,
    findPrimaryPort,
    /** Kills the primary; the Sentinels then promote the other server. */
    killPrimary: async () => kill(await findPrimaryPort()),
    /** Returns the `CLIENT LIST` of the primary. */
    listClients: async () => String(await ask(await findPrimaryPort(), ['CLIENT', 'LIST'], PASSWORD)),
    dispose: async () => {
      await Promise.all([...children.keys()].map(kill));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function expectText(answer: unknown, pattern: RegExp): void {
  if (!pattern.test(String(answer))) {
    throw new Error(`${String(answer)} does not match ${pattern}`);
  }
}
