#!/usr/bin/env node
// Drop-in replacement for Prisma's native schema-engine executable: the same
// line-delimited JSON-RPC protocol on stdin/stdout, answered by the WebAssembly
// build of the same engine over @prisma/adapter-pg. No binary download needed.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const require = createRequire(import.meta.url);
const argv = process.argv.slice(2);
if (argv.includes('--version') || argv.includes('-V')) {
  const pkg = path.join(path.dirname(require.resolve('@prisma/schema-engine-wasm')), 'package.json');
  console.log(`schema-engine-cli ${JSON.parse(fs.readFileSync(pkg, 'utf8')).version.split('.').pop()}`);
  process.exit(0);
}
const opt = (name) => argv.flatMap((a, i) => (a === name ? [argv[i + 1]] : []));
const datasource = JSON.parse(opt('--datasource')[0] ?? '{}');
const url = datasource.url ?? process.env.DATABASE_URL;
const log = (level, message, extra = {}) =>
  process.stderr.write(
    `${JSON.stringify({
      timestamp: new Date().toISOString(),
      level,
      fields: { message, ...extra },
      target: 'schema_engine::logger',
    })}\n`,
  );

if (argv.includes('cli')) {
  const command = argv[argv.indexOf('cli') + 1];
  const { Client } = require('pg');
  const connect = async (connectionString) => {
    const c = new Client({ connectionString, connectionTimeoutMillis: 5000 });
    await c.connect();
    return c;
  };
  try {
    if (command === 'create-database') {
      const u = new URL(url);
      const name = decodeURIComponent(u.pathname.slice(1));
      u.pathname = '/postgres';
      const c = await connect(u.href);
      await c.query(`CREATE DATABASE "${name.replaceAll('"', '""')}"`).finally(() => c.end());
    } else {
      await (await connect(url)).end(); // can-connect-to-database
    }
    process.exit(0);
  } catch (e) {
    process.stderr.write('\n'); // the CLI drops the first stderr line
    const code = e.code === '3D000' ? 'P1003' : e.code === '28P01' ? 'P1000' : 'P1001';
    process.stderr.write(
      `${JSON.stringify({
        level: 'ERROR',
        target: 'schema_engine::logger',
        fields: { error_code: code, message: e.message || String(e.code) },
      })}\n`,
    );
    process.exit(1);
  }
}

process.on('uncaughtException', (e) => {
  log('ERROR', e.stack ?? String(e));
  process.exit(1);
});
const bg = await import('@prisma/schema-engine-wasm/schema_engine_bg');
const { PrismaPg } = await import('@prisma/adapter-pg');
const { bindMigrationAwareSqlAdapterFactory } = await import('@prisma/driver-adapter-utils');
const wasm = path.join(path.dirname(require.resolve('@prisma/schema-engine-wasm')), 'schema_engine_bg.wasm');
const { instance } = await WebAssembly.instantiate(fs.readFileSync(wasm), { './schema_engine_bg.js': bg });
bg.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start?.();
let panicked = null;
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message: (m) => {
    panicked = m;
  },
};

// PrismaPg is built for queries, not migrations: it splits scripts on every ";"
// (breaking function bodies), lets a connection string override the shadow
// database's name, and does not know pg_catalog's internal "char" type.
// One plain connection with these three things put right is all the engine needs.
const pg = require('pg');
const INTERNAL_CHAR = 18,
  TEXT = 25;
const retype = (r) => {
  for (const f of r?.fields ?? []) if (f.dataTypeID === INTERNAL_CHAR) f.dataTypeID = TEXT;
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
  for (const k of ['schema', 'connection_limit', 'pool_timeout', 'pgbouncer', 'connect_timeout'])
    u.searchParams.delete(k);
  if (database) u.pathname = `/${encodeURIComponent(database)}`;
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
const open = new Set();
const closeAll = async () => {
  const all = [...open];
  open.clear();
  for (const adapter of all) await adapter.dispose();
};
class MigrationAdapterFactory {
  provider = 'postgres';
  adapterName = '@prisma/adapter-pg';
  async connect() {
    return this.#open(url);
  }
  async connectToShadowDb() {
    const database = `prisma_migrate_shadow_db_${crypto.randomUUID()}`;
    const admin = await this.#open(url);
    await admin.executeScript(`CREATE DATABASE "${database}"`);
    const shadow = await this.#open(url, database);
    const close = shadow.dispose.bind(shadow);
    open.delete(admin); // closed together with the shadow database
    let dropped;
    shadow.dispose = () =>
      (dropped ??= (async () => {
        await close();
        await admin.executeScript(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
        await admin.dispose();
      })());
    return shadow;
  }
  async #open(connectionString, database) {
    const { config, schema } = poolConfig(connectionString, database);
    const adapter = await new PrismaPg(config, { schema }).connect();
    const pool = adapter.underlyingDriver();
    // The simple query protocol runs a whole script, function bodies included, as Postgres parses it.
    adapter.executeScript = async (script) => {
      if (script.trim()) await pool.query(script).catch((e) => adapter.onError(e));
    };
    const end = adapter.dispose.bind(adapter);
    let ended;
    adapter.dispose = () => {
      open.delete(adapter);
      ended ??= end();
      return ended;
    };
    open.add(adapter);
    return adapter;
  }
}
const datamodels = opt('--datamodels').map((f) => [f, fs.readFileSync(f, 'utf8')]);
// A fresh engine for every call keeps no state between them.
const createEngine = () =>
  bg.SchemaEngine.new(
    datamodels.length ? { datamodels } : {},
    (l) => {
      if (process.env.DEBUG?.includes('prisma')) process.stderr.write(`${String(l)}\n`);
    },
    bindMigrationAwareSqlAdapterFactory(new MigrationAdapterFactory()),
  );

const methods = {
  getDatabaseVersion: async (e, p) => e.version(p ?? null),
  createDatabase: async () => {
    throw new Error('createDatabase is not supported by the wasm schema engine');
  },
};
let tail = Promise.resolve();
const rl = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
rl.on('line', (line) => {
  if (line.trim()) tail = tail.then(() => handle(line));
});
rl.on('close', () => tail.then(() => process.exit(0)));

async function handle(line) {
  const { id, method, params } = JSON.parse(line);
  if (!method) return; // the CLI's acknowledgement of a "print" notification
  const reply = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  try {
    const e = await createEngine();
    // These two read the schema that the migrations lead to, but the wasm engine hands its
    // shadow database only to diagnoseMigrationHistory, which caches that schema for them.
    if (method === 'evaluateDataLoss' || method === 'createMigration') {
      await e.diagnoseMigrationHistory({
        migrationsList: params.migrationsList,
        optInToShadowDatabase: true,
        filters: params.filters,
      });
    }
    const fn =
      methods[method] ??
      (async (eng, p) => {
        if (typeof eng[method] !== 'function') throw new Error(`Unsupported schema engine method: ${method}`);
        return eng[method](p);
      });
    const result = await fn(e, params);
    // The wasm engine returns the diff script in `stdout` instead of printing it.
    if (method === 'diff' && result?.stdout) {
      process.stdout.write(
        `${JSON.stringify({
          jsonrpc: '2.0',
          id: 1_000_000 + id,
          method: 'print',
          params: { content: result.stdout },
        })}\n`,
      );
    }
    await closeAll();
    reply({ result: result ?? null });
  } catch (err) {
    await closeAll().catch(() => {});
    const message = panicked ?? err?.message ?? String(err);
    reply({
      error: {
        code: 4466,
        message: 'An error happened. Check the data field for details.',
        data: {
          is_panic: Boolean(panicked),
          message,
          error_code: err?.code ?? null,
          meta: err?.meta ?? null,
        },
      },
    });
  }
}
