import fs from 'node:fs';

/** Piece of SQL with a name, unique in the product; PostgreSQL plans it once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Query parameters that make it shorter, for callers for whom it took too long; absent where none do. */
  readonly narrowBy?: string;
  /** Present when callers that come at the same time share the statement. */
  readonly batch?: Batch;
}

/**
 * Rules of a shared statement. A caller passes an object, its input row, as the only value; PostgreSQL gets a JSON list of all
 * input rows (`inputRows`). Each row that comes back names its input row in the column `place`, counted from 1.
 */
export interface Batch {
  /** Field of which no two input rows of one statement may have the same value: the id of the row that is changed. */
  readonly distinct?: string;
  /**
   * Present when the statement locks accounts: the same statement, waiting for them. `text` leaves out the accounts that
   * another session holds. Input rows name their account in `account`; the column `locked` says whether it was locked.
   */
  readonly waitingText?: string;
}

/**
 * Writes the CTE `input` that unfolds the value of a shared statement into rows. The `columns` are the fields of an
 * input row with their types, such as `id text, attempt int`. A field that is absent is NULL.
 */
export function inputRows(columns: string): string {
  const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
  return `input AS (
  SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (${columns})) WITH ORDINALITY AS r(${names.join(', ')}, place))`;
}

/**
 * Writes the condition that a column has the value of a field of the input row `i`. PostgreSQL estimates a JSON list at
 * a hundred rows, for which it would scan a table of some thousands. It estimates the array at a few rows and uses the
 * index.
 */
export function isInput(column: string, field: string): string {
  return `${column} = i.${field} AND ${column} = ANY (ARRAY(SELECT ${field} FROM input))`;
}

/**
 * Writes a value so that PostgreSQL plans without it. By the last ANALYZE it would choose a partial index that has grown since,
 * or sort all rows where it expects few.
 */
export function unplanned(value: string): string {
  return `(SELECT ${value})`;
}

/** Reads the SQL file beside a module, whose address is its `import.meta.url`. The build copies such files beside the compiled modules. */
export function readSql(module: string, name: string): string {
  return fs.readFileSync(new URL(name, module), 'utf8');
}
