import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually, repositoryRoot } from '@image-gateway/testing';
import { parse } from 'yaml';
import type { Release } from '../prepare-release.js';
import {
  type App,
  COMMANDS,
  callGateway,
  type Member,
  migrate,
  runProgram,
  startMember,
} from '../run-release.js';
import { type Site, startSite } from '../start-site.js';
import { type Door, expectThat, judgeWork, openWork, submit } from './open-work.js';
import { describeCatalog, startOutside } from './start-outside.js';

/** The release that ends, and the one that follows it. */
export interface Builds {
  readonly former: Release;
  readonly present: Release;
}

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly depends_on?: Readonly<Record<string, { readonly condition: string }>> }>
  >;
}

const APPS: readonly App[] = ['api', 'generation-worker', 'webhook-worker'];
const SENTENCE = 'this database belongs to 0.4.0';
/** Statements with which processes of 0.3.0 take work, and accept it. */
const REFUSED = [/claim-(few-)?in-turns|claim-task/, /claim-deliveries/, /insert-tasks/];

/** Reads from the compose file that its processes start after the migration; returns the services that UPGRADING.md stops first. */
function readStop(): App[] {
  const root = repositoryRoot();
  const { services } = parse(readFileSync(path.join(root, 'docker/compose.yaml'), 'utf8')) as Compose;
  for (const app of APPS) {
    const { condition } = services[app]?.depends_on?.migrate ?? {};
    expectThat(
      condition === 'service_completed_successfully',
      `${app} of the compose file waits for the migration`,
    );
  }
  const notes = readFileSync(path.join(root, 'UPGRADING.md'), 'utf8');
  const [, stopped = ''] =
    /^ *docker compose stop (.+)\n *docker compose run --rm migrate$/m.exec(notes) ?? [];
  const named = stopped.split(' ') as App[];
  expectThat(
    [...named].sort().join() === [...APPS].sort().join(),
    'UPGRADING.md stops every process before it migrates',
  );
  return named;
}

/** Upgrades processes of one's own in the order that operators are told; returns what was lost or done twice, and what was not refused. */
export async function upgradeByMigrate({ former, present }: Builds, signal: AbortSignal): Promise<string[]> {
  const faults: string[] = [];
  const note = (isGood: boolean, fault: string): void => void (isGood || faults.push(fault));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-stop-'));
  const outside = await startOutside();
  const services = await startSite(signal);
  const site: Site = {
    ...services,
    settings: {
      ...services.settings,
      ...outside.settings,
    },
  };
  const { pool } = site;
  const startAll = async (release: Release): Promise<ReadonlyMap<App, Member>> =>
    new Map(
      await Promise.all(
        APPS.map(async (app): Promise<[App, Member]> => [app, await startMember(site, release, app, 1)]),
      ),
    );
  const stopAll = async (members: ReadonlyMap<App, Member>, order: readonly App[]): Promise<void> => {
    for (const app of order) {
      await members.get(app)?.process.terminate();
    }
  };
  const read = async (text: string): Promise<unknown> => (await pool.query(text)).rows;
  const readApplied = () => read('SELECT migration_name FROM _prisma_migrations ORDER BY 1');
  const readBooks = () =>
    read(`SELECT (SELECT jsonb_agg(to_jsonb(t) ORDER BY id) FROM tasks t) AS tasks,
                 (SELECT count(*) FROM provider_calls) AS calls, (SELECT count(*) FROM webhook_attempts) AS attempts,
                 (SELECT count(*) FROM ledger_transfers) AS transfers, (SELECT jsonb_agg(held_micros) FROM accounts) AS held`);
  const runMigrate = () => runProgram(present.root, [COMMANDS, 'migrate'], site.settings);
  try {
    const order = readStop();
    await migrate(site, former);
    const catalog = path.join(folder, 'catalog.yaml');
    writeFileSync(catalog, describeCatalog(outside));
    await callGateway(...[site, former, 'catalog', 'apply', catalog]);
    const account = await callGateway<{ id: string }>(
      ...[site, former, 'account', 'create', '--email', 'stop@example.com', '--balance', '10.00'],
    );
    const { key: apiKey } = await callGateway<{ key: string }>(
      ...[site, former, 'key', 'create', '--account', account.id, '--name', 'stop'],
    );
    const toDoor = (members: ReadonlyMap<App, Member>): Door => ({
      url: members.get('api')?.url ?? '',
      apiKey,
    });

    const old = await startAll(former);
    const work = await openWork(toDoor(old), outside, pool);

    const applied = await readApplied();
    const refused = await runMigrate();
    note(
      refused.code === 1 &&
        /Release 0\.3\.0 still runs on this database: .*generation-worker/.test(refused.said),
      `the migration beside 0.3.0 said ${refused.said}`,
    );
    note(
      JSON.stringify(await readApplied()) === JSON.stringify(applied),
      'the refused migration has applied something',
    );

    await stopAll(old, order);
    outside.open();
    const migrated = await runMigrate();
    note(
      migrated.code === 0 && /If it has ended, this goes on by itself/.test(migrated.said),
      `the migration after the stop said ${migrated.said}`,
    );

    // Processes of the former release start once more, before those of the present one.
    const books = JSON.stringify(await readBooks());
    const late = await startAll(former);
    const { status } = await submit(toDoor(late), 'late', { model: 'quick', prompt: 'sandbox:fixed' });
    note(status >= 500, `0.3.0 answered a submit after the upgrade with ${status}`);
    await eventually(
      () => {
        const lines = readFileSync(site.logFile, 'utf8').split('\n');
        const told = lines.filter((line) => line.includes(SENTENCE));
        for (const statement of REFUSED) {
          expectThat(
            told.some((line) => statement.test(line)),
            `0.3.0 is told so by ${statement.source}`,
          );
        }
      },
      { timeoutMs: 60_000, everyMs: 200 },
    ).catch((error: unknown) => faults.push(String(error)));
    await stopAll(late, order);
    note(JSON.stringify(await readBooks()) === books, '0.3.0 has changed tasks or books after the upgrade');

    const now = await startAll(present);
    faults.push(...(await judgeWork(toDoor(now), outside, { pool, work })));
    await stopAll(now, order);
    return faults;
  } finally {
    await site.stop();
    await outside.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
