/** A piece of SQL with a name; PostgreSQL plans it once a connection. Names are unique in the product. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}
