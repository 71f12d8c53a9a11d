import { type Database, driverErrorOf, toDatabaseError } from '@image-gateway/shared/db';

/** A rule that the database breaks, with the rows that break it. */
export interface BrokenInvariant {
  /** Such as `I3 live: held money equals the open holds`. */
  readonly name: string;
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** What to check. */
export interface LedgerCheck {
  /** The text of prisma/invariants.sql. */
  readonly invariants: string;
  /** Also those that hold only when no work is left. */
  readonly rest: boolean;
}

const TIMEOUT_MS = 15 * 60_000;

/** Runs the money and state invariants, each as one query of the same read-only snapshot; gives those that returned rows, and how many were run. Throws AppError, `SERVICE_UNAVAILABLE` when the database is overloaded. */
export async function checkLedger(
  { db }: { readonly db: Pick<Database, 'prisma'> },
  { invariants, rest }: LedgerCheck,
): Promise<{ readonly checked: number; readonly broken: readonly BrokenInvariant[] }> {
  const chosen = parse(invariants).filter(({ isLive }) => rest || isLive);
  const checking = db.prisma.$transaction(
    async (snapshot) => {
      await snapshot.$executeRawUnsafe('SET TRANSACTION READ ONLY');
      const found: BrokenInvariant[] = [];
      for (const { name, sql } of chosen) {
        const rows = await snapshot.$queryRawUnsafe<Record<string, unknown>[]>(sql);
        if (rows.length > 0) found.push({ name, rows: rows.map(asTexts) });
      }
      return found;
    },
    { isolationLevel: 'RepeatableRead', maxWait: 10_000, timeout: TIMEOUT_MS },
  );
  const broken = await checking.catch((error: unknown) => {
    throw toDatabaseError('ledger check', driverErrorOf(error), { onlyLost: false });
  });
  return { checked: chosen.length, broken };
}

function parse(text: string): { name: string; isLive: boolean; sql: string }[] {
  return text
    .split(/^-- name: /m)
    .slice(1)
    .map((part) => {
      const [name = '', ...sql] = part.split('\n');
      return {
        name: name.trim(),
        isLive: /^\S+ live:/.test(name),
        sql: sql.join('\n').trim().replace(/;$/, ''),
      };
    });
}

function asTexts(row: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
}
