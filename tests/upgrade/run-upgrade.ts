import { setTimeout as sleep } from 'node:timers/promises';

import { checkInvariants } from '@image-gateway/testing';
import { type InvariantWatch, watchInvariants } from '../faults/lab/watch-invariants.js';
import type { Address, Client } from './call-api.js';
import { applyDocument, askForGrain, drawGrain, refuseDocument } from './draw-grain.js';
import { injectDeadlocks } from './inject-deadlocks.js';
import type { Release } from './prepare-release.js';
import { reachCap } from './reach-cap.js';
import { type App, callGateway, type Member, migrate, startMember } from './run-release.js';
import { startLaterTraffic } from './start-later-traffic.js';
import { GRACE_MS, type Site } from './start-site.js';
import { type Sent, startTraffic, type Traffic } from './start-traffic.js';
import { hasFacade, takeOver } from './take-over.js';

/** The builds of an upgrade: this checkout, and another build of the same release. */
export interface Releases {
  readonly old: Release;
  readonly new: Release;
}

/** The account whose requests go through the upgrade. */
export interface Customer {
  readonly id: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Key that gets a cap at the end. */
  readonly capped: { readonly id: string; readonly key: string };
  /** Id of its other key. */
  readonly keyId: string;
}

/** Results to verify after everything has ended. */
export interface Upgraded {
  readonly customer: Customer;
  readonly traffic: Traffic;
  /** All requests that were accepted. */
  readonly sent: readonly Sent[];
  readonly invariants: InvariantWatch;
  /** An API of the new release. */
  readonly address: Address;
  readonly fleet: readonly Member[];
}

/** The promise under which the behaviour of processes is noted. */
export const PROCESSES_WELL = 'no process dies or logs an error, and each old one stops within its grace';

/** Dollars of the account at the beginning. */
export const PAID_IN = '1000.00';

const COPIES = 2;
const STOP_MS = GRACE_MS + 2_000;
/** Parts of the time of load for each step, in order. */
const SHARES = { alone: 0.15, migrated: 0.15, beside: 0.15, after: 0.1 };

/** Upgrades under load, in the order that operators are told. Throws Error when a step cannot be done at all. */
export async function runUpgrade(
  site: Site,
  releases: Releases,
  { seconds, notes, say }: { seconds: number; notes: Client['notes']; say: (text: string) => void },
): Promise<Upgraded> {
  const begun = performance.now();
  const known = new Set<string>();
  const closeStep = (): void => {
    for (const [what, times] of Object.entries(site.log.faults())) {
      if (known.has(what)) {
        continue;
      }
      known.add(what);
      const sample = site.log.samples().find((line) => line.includes(what.slice(what.indexOf(': ') + 2)));
      notes.add(PROCESSES_WELL, `${what} (${times} times so far)`, describe(sample));
    }
  };
  const step = (name: string): void => {
    closeStep();
    notes.begin(name);
    say(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(6)} s  ${name}`);
  };
  const load = (share: number): Promise<void> => sleep(seconds * share * 1_000);
  const startAll = (release: Release, app: App): Promise<Member[]> =>
    Promise.all(Array.from({ length: COPIES }, (_, n) => startMember(site, release, app, n + 1)));
  const stopAll = async (members: readonly Member[]): Promise<void> => {
    for (const { process } of members) {
      const ms = Math.round(await process.terminate());
      if (ms > STOP_MS) {
        notes.add(PROCESSES_WELL, `${process.name} took ${ms} ms to stop after SIGTERM`);
      }
    }
  };

  step('the first build starts on an empty database');
  await migrate(site, releases.old);
  const customer = await createCustomer(site, releases.old);
  const [oldApis, oldWorkers, oldWebhooks] = await Promise.all([
    startAll(releases.old, 'api'),
    startAll(releases.old, 'generation-worker'),
    startAll(releases.old, 'webhook-worker'),
  ]);

  step('the first build alone');
  const client = { apiKey: customer.apiKey, notes };
  const hookUrl = site.receiver.url;
  const traffic = startTraffic(
    { ...client, cappedKey: customer.capped.key },
    { hookUrl, imageUrl: site.imageUrl },
    listAddresses(oldApis),
  );
  await load(SHARES.alone);

  step('the next build migrates under load, and deadlocks');
  const injection = await injectDeadlocks(site.settings.DATABASE_URL ?? '');
  await migrate(site, releases.new);
  say(`         ${await injection.stop()} deadlocks`);
  // The new invariants may name what only the new migrations have made.
  const invariants = watchInvariants(
    { checkInvariants: (scope = 'live') => checkInvariants(site.pool, scope) },
    notes.step,
  );
  site.onStop(() => invariants.stop());
  await callGateway(
    ...[site, releases.new, 'key', 'update', customer.keyId, '--scopes', 'generate,read,delete'],
  );

  step('the first build on the new schema');
  await load(SHARES.migrated);

  step('generation workers of both builds');
  const early = await startMember(site, releases.new, 'api', COPIES + 1);
  const workers = await startAll(releases.new, 'generation-worker');
  await askForGrain(client, listAddresses([early]));
  await refuseDocument(site, releases.new, notes);
  await load(SHARES.beside);
  // One dies as on a broken machine, the others are told to stop.
  await oldWorkers[0]?.process.down();
  await stopAll(oldWorkers.slice(1));

  step('new generation workers, all else old');
  await load(SHARES.after);

  step('webhook workers of both builds');
  const webhooks = await startAll(releases.new, 'webhook-worker');
  await load(SHARES.beside);
  await stopAll(oldWebhooks);

  step('new workers, old APIs');
  await load(SHARES.after);

  step('APIs of both builds');
  const apis = [...(await startAll(releases.new, 'api')), early];
  traffic.route(listAddresses([...oldApis, ...apis]));
  const later = startLaterTraffic(client, listAddresses(apis), { hookUrl, dataUrl: site.dataUrl });
  const taken: Sent[] = [];
  const [[before], [after]] = [listAddresses(oldApis), listAddresses(apis)];
  if (before && after && (await hasFacade(before, client))) {
    const ways = [
      { from: before, to: after },
      { from: after, to: before },
    ] as const;
    taken.push(
      ...(await Promise.all(ways.map((way) => takeOver(client, site.pool, way)))).filter(
        (one) => one !== null,
      ),
    );
  }
  await load(SHARES.beside);
  // A load balancer stops sending first; requests under way are answered during the grace.
  traffic.route(listAddresses(apis));
  await stopAll(oldApis);

  step('the next build alone');
  const grained = await drawGrain(client, listAddresses(apis));
  await applyDocument(site, releases.new, notes);
  await load(SHARES.after);
  await Promise.all([traffic.stop(), later.stop()]);

  step('a key reaches its cap');
  const capped = await reachCap(site, releases.new, {
    client: { ...client, apiKey: customer.capped.key },
    key: customer.capped.id,
    spentImages: traffic.sent.reduce((sum, one) => sum + (one.isCapped === true ? one.images : 0), 0),
    addresses: listAddresses(apis),
  });
  const fleet = [...apis, ...workers, ...webhooks];
  for (const { process } of [...oldApis, ...oldWorkers, ...oldWebhooks, ...fleet]) {
    if (process.deaths() > 0) {
      notes.add(PROCESSES_WELL, `${process.name} died ${process.deaths()} times`);
    }
  }

  step('at rest');
  const [address] = listAddresses(apis);
  if (address === undefined) {
    throw new Error('there is no API of the next build');
  }
  const sent = [...traffic.sent, ...later.sent, ...taken, ...capped, ...grained];
  return { customer, traffic, sent, invariants, address, fleet };
}

/** The error in a line of the log, without its stack. */
function describe(line = ''): string {
  try {
    const { error, ...rest } = JSON.parse(line) as { error?: { message?: string }; [name: string]: unknown };
    return error?.message ?? JSON.stringify(rest);
  } catch {
    return line;
  }
}

async function createCustomer(site: Site, old: Release): Promise<Customer> {
  const account = await callGateway<{ id: string; webhook_secret: string }>(
    ...[site, old, 'account', 'create', '--email', 'upgrade@example.com', '--balance', PAID_IN],
  );
  const createKey = (name: string) =>
    callGateway<{ id: string; key: string }>(
      ...[site, old, 'key', 'create', '--account', account.id, '--name', name],
    );
  const { id: keyId, key: apiKey } = await createKey('upgrade');
  const capped = await createKey('capped later');
  return { id: account.id, apiKey, keyId, webhookSecret: account.webhook_secret, capped };
}

function listAddresses(members: readonly Member[]): Address[] {
  return members.flatMap(({ url, release }) => (url === null ? [] : [{ url, release }]));
}
