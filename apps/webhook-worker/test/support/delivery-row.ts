import type { TestDatabase } from '@image-gateway/testing';

/** A row of webhook_deliveries, as the database says it. */
export interface DeliveryRow {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  readonly next_attempt_at: Date | null;
  readonly lease_until: Date | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly delivered_at: Date | null;
  readonly body: string;
  /** Milliseconds until the next attempt is due, by the database's clock. */
  readonly due_in_ms: number | null;
}

/** Reads a delivery; throws an Error when there is none. */
export async function deliveryRow(test: TestDatabase, id: string): Promise<DeliveryRow> {
  const { rows } = await test.pool.query<DeliveryRow>(
    `SELECT *, (EXTRACT(EPOCH FROM next_attempt_at - now()) * 1000)::float8 AS due_in_ms FROM webhook_deliveries WHERE id = $1`,
    [id],
  );
  const [row] = rows;
  if (!row) {
    throw new Error(`there is no delivery ${id}`);
  }
  return row;
}
