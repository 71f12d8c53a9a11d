import { once } from 'node:events';
import { repositoryRoot } from '@image-gateway/testing';
import { summaryLine } from '../../scripts/testing/summary-line.mjs';
import { judgeUpgrade, PROMISES } from './judge-upgrade.js';
import { buildNext } from './next-build.js';
import { createNotes } from './notes.js';
import { type Options, readOptions } from './options.js';
import { prepareRelease, type Release } from './prepare-release.js';
import { runUpgrade } from './run-upgrade.js';
import { startSite } from './start-site.js';
import { refuseOlder } from './stop/refuse-older.js';
import { upgradeByMigrate } from './stop/upgrade-by-migrate.js';
import { upgradeByStart } from './stop/upgrade-by-start.js';

const WENT_THROUGH = 'the upgrade goes through all its steps';
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Replaces all processes of a build by those of another one, under load. */
async function replaceBuild(next: Release, seconds: number, signal: AbortSignal): Promise<number> {
  const notes = createNotes();
  const begun = performance.now();
  const site = await startSite(signal);
  try {
    const releases = { old: { name: 'old' as const, root: repositoryRoot() }, new: next };
    const stopped = once(signal, 'abort').then(() => Promise.reject(new Error('stopped by a signal')));
    const upgraded = await Promise.race([runUpgrade(site, releases, { seconds, notes, say }), stopped]);
    notes.begin('');
    await judgeUpgrade(site, releases, upgraded, notes);
    const { traffic, sent, invariants } = upgraded;
    const replays = Object.entries(traffic.replays).map(([way, count]) => `${count} ${way}`);
    say(
      `${sent.length} tasks; repeated keys: ${replays.join(', ')}; ${traffic.facadeAnswers()} answers of the facade; ${invariants.rounds()} live checks`,
    );
  } catch (error) {
    if (signal.aborted) {
      return 130;
    }
    notes.add(WENT_THROUGH, error instanceof Error ? error.message : String(error));
  } finally {
    await site.stop();
  }
  let failed = 0;
  const promises = [WENT_THROUGH, ...PROMISES];
  for (const promise of promises) {
    const faults = notes.of(promise);
    say(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${promise}`);
    for (const fault of faults) {
      say(`     ${fault.replaceAll('\n', '\n     ')}`);
    }
    if (faults.length > 0) {
      failed += 1;
    }
  }
  say(summaryLine({ passed: promises.length - failed, failed }));
  say(`Time:        ${Math.round((performance.now() - begun) / 1_000)} s`);
  return failed === 0 ? 0 : 1;
}

/** Upgrades the last release with a stop, in the ways that are wanted at once: they wait most of the time. @until 0.5.0 */
async function upgradeWithStop(wanted: Options['parts'], signal: AbortSignal): Promise<number> {
  const prepared = prepareRelease(null);
  if ('missing' in prepared) {
    say(`Upgrade with a stop: left out, ${prepared.missing}.`);
    say(summaryLine({ skipped: wanted.length }));
    return 0;
  }
  const begun = performance.now();
  const builds = { former: prepared.release, present: { name: 'new' as const, root: repositoryRoot() } };
  const ways = {
    'ctrl-c': () => upgradeByStart(builds, 'Ctrl-C'),
    kill: () => upgradeByStart(builds, 'kill -9 of everything'),
    migrate: () => upgradeByMigrate(builds, signal),
    older: () => refuseOlder(builds.present, signal),
    builds: null,
  };
  const results = await Promise.all(
    wanted.map(async (part) => {
      const faults = await ways[part]?.().catch((error: unknown) => [String(error)]);
      const seconds = Math.round((performance.now() - begun) / 1_000);
      say(
        `${faults?.length === 0 ? 'ok  ' : 'FAIL'} ${part === 'older' ? 'a database of 0.2.0 is refused' : 'nothing is lost or bought twice'}: ${part} (${seconds} s)`,
      );
      for (const fault of faults ?? []) {
        say(`     ${fault.replaceAll('\n', '\n     ')}`);
      }
      return faults?.length === 0;
    }),
  );
  const failed = results.filter((isGood) => !isGood).length;
  say(summaryLine({ passed: results.length - failed, failed }));
  return failed === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { seconds, parts } = readOptions(process.argv.slice(2));
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopping.abort());
  }
  const stops = parts.filter((part) => part !== 'builds');
  let code = stops.length === 0 ? 0 : await upgradeWithStop(stops, stopping.signal);
  if (parts.includes('builds')) {
    say(`Another build of this checkout takes its place under ${seconds} s of load`);
    const next = buildNext();
    try {
      code = Math.max(code, await replaceBuild(next.release, seconds, stopping.signal));
    } finally {
      next.remove();
    }
  }
  return code;
}

// A client that is still polling must not keep the process.
process.exit(await main());
