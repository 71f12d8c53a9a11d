/** Piece of SQL with a name, unique in the product; PostgreSQL plans it once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
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
