import { type Database, listBrokenInvariants, tellLedgerCheck } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { findNextRange, type StepSizes } from './find-next-range.js';
import { type Invariant, parseInvariants } from './parse-invariants.js';
import { restrictToRange } from './restrict-to-range.js';

/** Invariant that the database violates, with the offending rows. */
export interface BrokenInvariant {
  /** Such as `I3 live: held money equals the open holds`. */
  readonly name: string;
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** Progress of a running check. */
export interface LedgerProgress {
  readonly part: 'account' | 'task';
  /** Accounts or tasks of this part that are checked. */
  readonly done: number;
  /** Value of `from` that continues here. */
  readonly position: string;
}

/** Options of a check. */
export interface LedgerCheck {
  /** The text of prisma/invariants.sql. */
  readonly invariants: string;
  /** Includes the invariants that hold only when no task is pending. */
  readonly rest: boolean;
  /** Position of an earlier check to continue after. */
  readonly from?: string | undefined;
  readonly onProgress?: (progress: LedgerProgress) => void;
  readonly sizes?: StepSizes;
}

const SIZES: StepSizes = { accounts: 500, tasks: 20_000 };
const PARTS = ['account', 'task'] as const;
// Bounds the result of an invariant that is itself wrong.
const MAX_ROWS = 1_000;

/**
 * Checks the invariants of money and states in steps. Each step is one statement over a range of accounts or tasks, with a
 * snapshot of about a second. A check of a large database therefore does not hold back vacuum. Throws AppError
 * `VALIDATION_ERROR` for a bad position, and the errors of the database.
 */
export async function checkLedger(
  { db }: { readonly db: Pick<Database, 'run'> },
  { invariants, rest, from, onProgress, sizes = SIZES }: LedgerCheck,
): Promise<{ readonly checked: number; readonly broken: readonly BrokenInvariant[] }> {
  const start = parsePosition(from);
  const chosen = parseInvariants(invariants).filter(({ isLive }) => rest || isLive);
  const broken = new Map<string, Record<string, string>[]>();
  const note = ({ name }: Invariant, rows: readonly Record<string, unknown>[]): void => {
    if (rows.length === 0) {
      return;
    }
    const noted = broken.get(name) ?? [];
    broken.set(name, [...noted, ...rows.map(toTexts)].slice(0, MAX_ROWS));
  };
  const getRules = (part: Invariant['by']): Invariant[] => chosen.filter(({ by }) => by === part);

  if (start === null) {
    for (const rule of getRules(null)) {
      const name = `ledger-check-${rule.name.split(' ')[0]}`;
      note(rule, await db.run<Record<string, unknown>>({ name, text: rule.sql }, []));
    }
  }
  for (const part of PARTS.slice(PARTS.indexOf(start?.part ?? 'account'))) {
    let after = start?.part === part ? start.after : '';
    let done = 0;
    for (;;) {
      const range = await findNextRange(db, part, { after, sizes });
      for (const rule of getRules(part)) {
        const { statement, values } = restrictToRange({ ...rule, by: part }, range);
        note(rule, await db.run<Record<string, unknown>>(statement, values));
      }
      done += range.count;
      if (range.upTo === null) {
        break;
      }
      after = range.upTo;
      onProgress?.({ part, done, position: `${part}:${after}` });
    }
  }
  // A check that began in the middle has not seen everything.
  const sound = start === null ? chosen.filter(({ name }) => !broken.has(name)).map(({ name }) => name) : [];
  const noted = await listBrokenInvariants(db);
  const fixed = noted.filter((name) => sound.includes(name));
  if (broken.size > 0 || fixed.length > 0) {
    await tellLedgerCheck(db, { broken: [...broken.keys()], fixed });
  }
  return { checked: chosen.length, broken: [...broken].map(([name, rows]) => ({ name, rows })) };
}

function parsePosition(text: string | undefined): { part: 'account' | 'task'; after: string } | null {
  if (text === undefined) {
    return null;
  }
  const [, part, after = ''] = /^(account|task):(\w+)$/.exec(text) ?? [];
  if (part !== 'account' && part !== 'task') {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'A position is printed by an earlier check, such as task:gen_….',
    });
  }
  return { part, after };
}

function toTexts(row: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
}
