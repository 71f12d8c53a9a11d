import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

// PrismaPg is built for queries, not migrations: it splits scripts on every ";"
// (breaking function bodies), lets a connection string override the shadow
// database's name, and does not know pg_catalog's internal "char" type.
// One plain connection with these three things put right is all the engine needs.
const INTERNAL_CHAR = 18;
const TEXT = 25;
/** Which columns of a result are of that type, by the result's rows, which pass through the adapter untouched. */
const charColumns = new WeakMap();
const retype = (r) => {
  const found = (r?.fields ?? []).flatMap((f, i) => (f.dataTypeID === INTERNAL_CHAR ? [i] : []));
  for (const i of found) {
    r.fields[i].dataTypeID = TEXT;
  }
  if (found.length > 0) {
    charColumns.set(r.rows, found);
  }
  return r;
};
class MigrationClient extends pg.Client {
  query(...args) {
    const last = args.length - 1;
    if (typeof args[last] === 'function') {
      // how pg.Pool calls it
      const done = args[last];
      args[last] = (err, r) => done(err, retype(r));
      return super.query(...args);
    }
    const out = super.query(...args);
    return typeof out?.then === 'function' ? out.then(retype) : out;
  }
}
const poolConfig = (connectionString, database) => {
  const u = new URL(connectionString);
  const schema = u.searchParams.get('schema');
  for (const k of ['schema', 'connection_limit', 'pool_timeout', 'pgbouncer', 'connect_timeout']) {
    u.searchParams.delete(k);
  }
  if (database) {
    u.pathname = `/${encodeURIComponent(database)}`;
  }
  return {
    config: {
      connectionString: u.href,
      max: 1,
      connectionTimeoutMillis: 5000,
      Client: MigrationClient,
      options: '-c timezone=UTC',
    },
    schema: schema ?? undefined,
  };
};
/** Hands connections to the engine; all that are open can be closed at once. */
export class MigrationAdapterFactory {
  #url;
  #opened = new Set();
  constructor(url) {
    this.#url = url;
  }
  provider = 'postgres';
  adapterName = '@prisma/adapter-pg';
  async connect() {
    return this.#open(this.#url);
  }
  async connectToShadowDb() {
    const database = `prisma_migrate_shadow_db_${crypto.randomUUID()}`;
    const admin = await this.#open(this.#url);
    await admin.executeScript(`CREATE DATABASE "${database}"`);
    const shadow = await this.#open(this.#url, database);
    const close = shadow.dispose.bind(shadow);
    this.#opened.delete(admin); // closed together with the shadow database
    let dropped;
    const drop = async () => {
      await close();
      await admin.executeScript(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
      await admin.dispose();
    };
    shadow.dispose = () => {
      dropped ??= drop();
      return dropped;
    };
    return shadow;
  }
  async closeAll() {
    const all = [...this.#opened];
    this.#opened.clear();
    for (const adapter of all) {
      await adapter.dispose();
    }
  }
  async #open(connectionString, database) {
    const { config, schema } = poolConfig(connectionString, database);
    const adapter = await new PrismaPg(config, { schema }).connect();
    const pool = adapter.underlyingDriver();
    // The simple query protocol runs a whole script, function bodies included, as Postgres parses it.
    adapter.executeScript = async (script) => {
      if (script.trim()) {
        await pool.query(script).catch((e) => adapter.onError(e));
      }
    };
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const i of charColumns.get(result.rows) ?? []) {
        result.columnTypes[i] = ColumnTypeEnum.Character;
      }
      return result;
    };
    const end = adapter.dispose.bind(adapter);
    let ended;
    adapter.dispose = () => {
      this.#opened.delete(adapter);
      ended ??= end();
      return ended;
    };
    this.#opened.add(adapter);
    return adapter;
  }
}
