import { isIP } from 'node:net';
import {
  ACCOUNT_LIMITS,
  describeLimit,
  ID_PATTERN,
  KEY_LIMITS,
  KEY_SCOPES,
  type LimitEntry,
  type LimitKind,
  type LimitsBody,
  type LimitsView,
  type LimitTable,
  listLimits,
  MAX_ENTRIES,
  METADATA_KEY,
  NO_LIMIT,
  toCamelCase,
} from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars, parseDollars } from '@image-gateway/shared/money';

type Column = string | number | bigint | boolean | readonly string[] | null;

/** Limits by their columns. */
export type LimitsRow = Readonly<Record<string, Column>>;

/** Change of limits and its author, for the audit log. */
interface LimitsChange<T extends LimitTable> {
  readonly id: string;
  /** Restricts the search to this account. */
  readonly accountId?: string | null;
  readonly limits: LimitsBody<T>;
  readonly actor: string;
}

interface Kind {
  /** Turns text, or an entry of a list, into the values of the columns; null for a wrong one. */
  readonly parse: (text: string, limit: LimitEntry) => readonly Column[] | null;
  /** Turns the columns into the value that is shown; the first of them is not null. */
  readonly present: (columns: readonly Column[]) => unknown;
  /** Writes the same in SQL, for the value that a change replaces. */
  readonly toSql: (...columns: readonly string[]) => string;
}

const MAX_SECONDS = 999_999;
const VALUE_CAP = new RegExp(`^(${METADATA_KEY})=\\$?(.+)$`);

const asIs: Omit<Kind, 'parse'> = { present: ([value]) => value, toSql: (column) => column };
const checked = (isRight: (text: string) => boolean): Kind => ({
  ...asIs,
  parse: (text) => (isRight(text) ? [text] : null),
});

const KINDS: Readonly<Record<LimitKind, Kind>> = {
  count: { ...asIs, parse: parseNumbers },
  rate: {
    parse: parseNumbers,
    present: (columns) => columns.join('/'),
    toSql: (...columns) => columns.join(" || '/' || "),
  },
  cap: {
    parse: parseAmount,
    present: ([micros]) => formatDollars(BigInt(micros as bigint)),
    toSql: (micros) => `format_dollars(${micros})`,
  },
  valueCap: {
    parse: (text) => {
      const [, key = '', amount = ''] = VALUE_CAP.exec(text) ?? [];
      return parseAmount(amount)?.flatMap((micros) => [key, micros]) ?? null;
    },
    present: ([key, micros]) => `${key}=${formatDollars(BigInt(micros as bigint))}`,
    toSql: (key, micros) => `${key} || '=' || format_dollars(${micros})`,
  },
  models: checked((text) => ID_PATTERN.test(text)),
  scopes: checked((text) => KEY_SCOPES.some((scope) => scope === text)),
  networks: checked(isNetwork),
  switch: checked(() => false),
};

/** Where limits are kept: a table with its column of the account, what they limit, and the name of a change in the audit log. */
interface Home {
  readonly noun: Parameters<typeof notFound>[0];
  readonly table: string;
  readonly account: string;
  readonly action: string;
}

/** Creates the parser, the view and the statements of a table of limits. A change writes its audit entry in the same statement. */
function createLimits<T extends LimitTable>(limits: T, { noun, table, account, action }: Home) {
  const entries = listLimits(limits);
  const columns: readonly string[] = entries.flatMap(([, limit]) => limit.columns);
  const before = entries.map(
    ([name, limit]) => `'${toCamelCase(name)}', ${KINDS[limit.kind].toSql(...limit.columns)}`,
  );
  const find: Statement = {
    name: `find-limits-of-${table}`,
    text: `SELECT ${columns.join(', ')} FROM ${table} WHERE id = $1`,
  };
  const change: Statement = {
    name: `change-limits-of-${table}`,
    text: `
WITH old AS (
  SELECT id, jsonb_build_object(${before.join(',\n                                ')}) AS before
    FROM ${table} WHERE id = $1 AND ${account} = COALESCE($5, ${account}) FOR NO KEY UPDATE),
changed AS (
  UPDATE ${table} k
     SET ${columns.map((name) => `${name} = CASE WHEN c ? '${name}' THEN n.${name} ELSE k.${name} END`).join(',\n         ')}
    FROM old, (SELECT $2::jsonb AS c) given, jsonb_populate_record(NULL::${table}, $2::jsonb) n
   WHERE k.id = old.id RETURNING k.*, old.before),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $3, '${action}', id, $4::jsonb || jsonb_build_object('before',
           (SELECT jsonb_object_agg(name, before -> name) FROM jsonb_object_keys($4::jsonb - 'actor') name))
    FROM changed)
SELECT ${columns.join(', ')} FROM changed`,
  };

  const present = (row: LimitsRow, { kind, columns: names }: LimitEntry): unknown => {
    const values = names.map((name) => row[name] ?? null);
    return values[0] === null ? null : KINDS[kind].present(values);
  };
  const presentAll = (row: LimitsRow): LimitsView<T> =>
    Object.fromEntries(entries.map(([name, limit]) => [name, present(row, limit)])) as LimitsView<T>;
  const run = async (db: Pick<Database, 'run'>, statement: Statement, values: readonly unknown[]) => {
    const [row] = await db.run<LimitsRow>(statement, values);
    if (!row) {
      throw notFound(noun, String(values[0]));
    }
    return presentAll(row);
  };
  /** Parses limits into their columns and the words of the audit log. Throws AppError `VALIDATION_ERROR`. */
  const parse = (body: LimitsBody<T>) => {
    const given = entries.filter(([name]) => body[name] !== undefined);
    const row: LimitsRow = Object.fromEntries(
      given.flatMap(([name, limit]) => {
        const values = parseLimit(name, body[name], limit);
        return limit.columns.map((column, place) => [column, values[place] ?? null] as const);
      }),
    );
    const words = given.map(([name, limit]) => [toCamelCase(name), present(row, limit)] as const);
    return { row, detail: Object.fromEntries(words) };
  };

  return {
    columns: columns.join(', '),
    /** Limits that limit nothing. */
    none: Object.fromEntries(entries.map(([name, { kind }]) => [name, NO_LIMIT[kind]])) as LimitsBody<T>,
    parse,
    present: presentAll,
    /** Finds the limits of a row. Throws AppError `NOT_FOUND`. */
    find: (db: Pick<Database, 'run'>, id: string): Promise<LimitsView<T>> => run(db, find, [id]),
    /** Changes limits, which then apply within 5 s, and returns all of them. Throws AppError `NOT_FOUND` and `VALIDATION_ERROR`. */
    change: async (
      db: Pick<Database, 'run'>,
      { id, accountId = null, limits: body, actor }: LimitsChange<T>,
    ): Promise<LimitsView<T>> => {
      const { row, detail } = parse(body);
      const audit = [newId('aud'), JSON.stringify({ actor, ...detail })];
      return run(db, change, [id, JSON.stringify(row), ...audit, accountId]);
    },
  };
}

/** Limits of accounts. */
export const accountLimits = createLimits(ACCOUNT_LIMITS, {
  noun: 'account',
  table: 'accounts',
  account: 'id',
  action: 'account.limits',
});

/** Limits of API keys. */
export const keyLimits = createLimits(KEY_LIMITS, {
  noun: 'API key',
  table: 'api_keys',
  account: 'account_id',
  action: 'key.update',
});

function parseLimit(name: string, given: unknown, limit: LimitEntry): readonly Column[] {
  const [{ parse }, none] = [KINDS[limit.kind], NO_LIMIT[limit.kind]];
  const refuse = (value: unknown): never => {
    const wrong = JSON.stringify(value).slice(0, 100);
    const publicMessage = `${limit.label} (${name}): ${wrong} is not ${describeLimit(limit)}.`;
    throw new AppError('VALIDATION_ERROR', { publicMessage });
  };
  if (typeof none === 'boolean') {
    return typeof given === 'boolean' ? [given] : refuse(given);
  }
  if (typeof none === 'object' && none !== null) {
    if (!Array.isArray(given) || given.length > MAX_ENTRIES || (given.length === 0 && none.length > 0)) {
      return refuse(given);
    }
    return [given.map((one: unknown) => (typeof one === 'string' && parse(one, limit) ? one : refuse(one)))];
  }
  const text = typeof given === 'number' && limit.kind === 'count' ? String(given) : (given ?? '');
  if (typeof text !== 'string') {
    return refuse(given);
  }
  return text.trim() === '' ? limit.columns.map(() => null) : (parse(text.trim(), limit) ?? refuse(given));
}

function parseNumbers(text: string, { columns, max = 0 }: LimitEntry): readonly number[] | null {
  const parts = text.split('/');
  const values = parts.map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : 0));
  const [count = 0, seconds = 1] = values;
  const isRight =
    parts.length === columns.length && count >= 1 && count <= max && seconds >= 1 && seconds <= MAX_SECONDS;
  return isRight ? values : null;
}

function parseAmount(text: string): readonly string[] | null {
  try {
    return [parseDollars(text).toString()];
  } catch (cause) {
    if (!(cause instanceof RangeError)) {
      throw cause;
    }
    return null;
  }
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes('%')) {
    return false;
  }
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
