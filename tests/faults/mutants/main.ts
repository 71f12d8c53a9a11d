import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { repositoryRoot } from '@image-gateway/testing';
import { recordMutants } from '../report/record.js';
import { applyMutant } from './apply-mutant.js';
import { type Checkout, copyCheckout } from './copy-checkout.js';
import { MUTANTS } from './defects/all-mutants.js';
import { hunt } from './hunt.js';
import type { Mutant, MutantResult } from './mutant.js';

const SEEN_LENGTH = 160;
const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Lets the hunters of a mutant loose, one after the other, until one has found it. */
async function judge(
  checkout: Checkout,
  mutant: Mutant,
  seed: number,
  signal: AbortSignal,
): Promise<MutantResult> {
  const begun = performance.now();
  const files = [...new Set(mutant.edits.map(({ file }) => file))];
  let caughtBy: string | null = null;
  let seen = '';
  try {
    applyMutant(checkout.root, mutant);
    // Tests read sources, but the programs and threads that some of them start are compiled.
    checkout.build();
    for (const hunter of mutant.hunters) {
      const prey = await hunt(checkout.root, { hunter, red: mutant.red, seed }, signal);
      if (prey === null) {
        continue;
      }
      caughtBy = hunter;
      seen = prey;
      break;
    }
  } catch (error) {
    seen = `not judged: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    checkout.restore(files);
  }
  return {
    name: mutant.name,
    defect: mutant.defect,
    caughtBy,
    seen: seen.replaceAll(/\s+/g, ' ').slice(0, SEEN_LENGTH),
    tookSeconds: Math.round((performance.now() - begun) / 1_000),
  };
}

function parseShard(text: string): { readonly index: number; readonly count: number } {
  const [index = 0, count = 0] = /^\d+\/\d+$/.test(text) ? text.split('/').map(Number) : [];
  if (index < 1 || index > count) {
    throw new InvalidArgumentError('Give a number and how many there are, such as 1/2.');
  }
  return { index, count };
}

async function main(): Promise<number> {
  const values = new Command('npm run test:mutants --')
    .description('Makes deliberate defects in a copy of the checkout, each of which the tests must find.')
    .option('--only <names...>', 'tries the mutants whose names contain one of these texts')
    .option(
      '--shard <i/n>',
      'tries every nth mutant, beginning with the i-th: for several machines or runs',
      parseShard,
    )
    .option('--seed <n>', 'seed of the fault laboratory', '1')
    .option('--record', 'writes docs/reliability.md', false)
    .parse()
    .opts();
  const { index, count } = values.shard ?? { index: 1, count: 1 };
  const wanted = MUTANTS.filter(
    ({ name }) => values.only?.some((part) => name.includes(part)) ?? true,
  ).filter((_, place) => place % count === index - 1);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stopping.abort());
  }
  const checkout = copyCheckout(repositoryRoot());
  const results: MutantResult[] = [];
  try {
    for (const mutant of wanted) {
      if (stopping.signal.aborted) {
        return 130;
      }
      const result = await judge(checkout, mutant, Number(values.seed), stopping.signal);
      results.push(result);
      if (values.record) {
        recordMutants([result]);
      }
      const { name, caughtBy, seen, tookSeconds } = result;
      say(
        `${caughtBy ? 'caught' : 'MISSED'} ${name.padEnd(26)} ${(caughtBy ?? '-').padEnd(24)} ${tookSeconds} s  ${seen}`,
      );
    }
  } finally {
    checkout.remove();
  }
  const missed = results.filter(({ caughtBy }) => caughtBy === null);
  say(`${results.length - missed.length} of ${results.length} mutants were caught.`);
  return missed.length === 0 ? 0 : 1;
}

process.exit(await main());
