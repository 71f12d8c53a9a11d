/** A piece of SQL with a name; PostgreSQL plans it once a connection. Names are unique in the product. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** The same for many at once, where callers that come at the same time may share a statement. */
  readonly many?: ManyStatement;
}

/**
 * A statement that does for many callers what another one does for a single one. Its only value is a JSON list with an
 * object for each caller; each row that it returns says in `place` for which of them it is, counted from 1.
 */
export interface ManyStatement {
  readonly name: string;
  readonly text: string;
  /** What the values of the single statement are called in the objects, in their order. */
  readonly fields: readonly string[];
  /** The field of which no two callers in one statement may have the same value: the row that is changed. */
  readonly distinct: string;
}
