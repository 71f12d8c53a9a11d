import { createMicroBatch, type MicroBatch } from '../batching/index.js';
import { sqlStateOf } from './database-error.js';
import { isConnectionTrouble } from './is-connection-trouble.js';
import type { ManyStatement, Statement } from './statement.js';

/** Runs a statement and gives its rows. */
export type Run = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

type Values = readonly unknown[];
type Placed = { readonly place: bigint };

const MAX_ITEMS = 64;
// One statement after the other serves more callers with each; another one beside it is for the time when one is held up, by a lock.
const LANES = 2;
const PATIENCE_MS = 25;
/** SQLSTATEs that are about one of the rows: bad values, broken rules, a row that somebody else holds, a deadlock. */
const OF_ONE_ROW = /^(22|23|55P03|40P01)/;

/**
 * Lets callers of statements that can do many at once share them: one alone runs at once, what comes while statements are
 * running goes with the next one. Each caller gets its own rows. A shared statement that fails over one of its rows is
 * repeated for each caller alone, so that a bad or locked row hurts nobody else.
 */
export function batchStatements(run: Run): Run {
  const batches = new Map<string, MicroBatch<Values, readonly unknown[]>>();

  const batchOf = (statement: Statement, many: ManyStatement): MicroBatch<Values, readonly unknown[]> => {
    const known = batches.get(many.name);
    if (known) return known;
    const key = many.fields.indexOf(many.distinct);
    const made = createMicroBatch<Values, readonly unknown[]>({
      run: (items) => runMany(run, statement, many, items),
      maxItems: MAX_ITEMS,
      lanes: LANES,
      patienceMs: PATIENCE_MS,
      isShared: isConnectionTrouble,
      keyOf: (values) => values[key],
    });
    batches.set(many.name, made);
    return made;
  };

  return async <Row>(statement: Statement, values: Values): Promise<Row[]> => {
    const { many } = statement;
    return many ? ((await batchOf(statement, many).add(values)) as Row[]) : run<Row>(statement, values);
  };
}

async function runMany(
  run: Run,
  statement: Statement,
  many: ManyStatement,
  items: readonly Values[],
): Promise<readonly (readonly unknown[] | Promise<readonly unknown[]>)[]> {
  const [first] = items;
  if (items.length === 1 && first) return [await run(statement, first)];
  // In one order in all processes, so that two statements do not wait for each other's rows.
  const key = many.fields.indexOf(many.distinct);
  const order = items
    .map((_, i) => i)
    .sort((a, b) => (String(items[a]?.[key]) < String(items[b]?.[key]) ? -1 : 1));
  const asked = order.map((i) => objectOf(many.fields, items[i] ?? []));
  try {
    const rows = await run<Placed>(many, [JSON.stringify(asked)]);
    const found = items.map((): unknown[] => []);
    for (const { place, ...row } of rows) found[order[Number(place) - 1] ?? -1]?.push(row);
    return found;
  } catch (error) {
    if (!OF_ONE_ROW.test(sqlStateOf(error) ?? '')) throw error;
    return items.map((values) => run(statement, values));
  }
}

function objectOf(fields: readonly string[], values: Values): Record<string, unknown> {
  return Object.fromEntries(fields.map((name, i) => [name, forJson(values[i])]));
}

function forJson(value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
