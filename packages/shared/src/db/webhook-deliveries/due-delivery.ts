/** A delivery that may be sent now; whether it still may, only claiming it tells. */
export interface DueDelivery {
  readonly id: string;
  /** `host:port` of the receiver, by which concurrency is limited. */
  readonly hostPort: string;
  /** How long it has been due, in milliseconds of the database's clock. */
  readonly lateMs: number;
}

/** The columns of a DueDelivery; the table must be named `d` in the statement. */
export const DUE_COLUMNS = `
  d.id, d.host_port AS "hostPort",
  (EXTRACT(EPOCH FROM now() - d.next_attempt_at) * 1000)::float8 AS "lateMs"`;
