import type { TestDatabase } from '@image-gateway/testing';

/** The database's clock of a simulation: the product's own SQL reads it wherever it says `now()`. */
export interface SimulatedClock {
  readonly advance: (ms: number) => Promise<void>;
}

/**
 * Puts a `now()` before PostgreSQL's own that is ahead by as much as the simulation says. Connections that are opened
 * afterwards have it; defaults of columns were bound earlier and keep the real time, which is never ahead of it.
 */
export async function openClock({ pool, url }: TestDatabase): Promise<SimulatedClock> {
  const name = new URL(url).pathname.slice(1);
  await pool.query('CREATE SCHEMA simulation');
  await pool.query('CREATE TABLE simulation.ahead (by interval NOT NULL)');
  await pool.query("INSERT INTO simulation.ahead VALUES ('0')");
  await pool.query(`CREATE FUNCTION simulation.now() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT pg_catalog.now() + (SELECT by FROM simulation.ahead)'`);
  await pool.query(`ALTER DATABASE ${name} SET search_path = simulation, pg_catalog, public`);
  return {
    advance: async (ms) => {
      await pool.query(`UPDATE simulation.ahead SET by = by + $1::float8 * interval '1 ms'`, [ms]);
    },
  };
}
