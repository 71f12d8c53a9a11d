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

const bg = await import('@prisma/schema-engine-wasm/schema_engine_bg');
const { bindMigrationAwareSqlAdapterFactory } = await import('@prisma/driver-adapter-utils');
const { MigrationAdapterFactory } = await import('./migration-adapter.mjs');
const wasm = path.join(path.dirname(require.resolve('@prisma/schema-engine-wasm')), 'schema_engine_bg.wasm');
const { instance } = await WebAssembly.instantiate(fs.readFileSync(wasm), { './schema_engine_bg.js': bg });
bg.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start?.();
let panicked = null;
// A panic of the engine ends no promise: without this the command line would take the end of this process for success.
let failCurrent = null;
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message: (m) => {
    panicked = m;
  },
};
process.on('uncaughtException', (e) => {
  log('ERROR', panicked ?? e.stack ?? String(e));
  if (!failCurrent) {
    process.exit(1);
  }
  failCurrent(e);
});

const adapters = new MigrationAdapterFactory(url);
const datamodels = opt('--datamodels').map((f) => [f, fs.readFileSync(f, 'utf8')]);
// A fresh engine for every call keeps no state between them.
const createEngine = () =>
  bg.SchemaEngine.new(
    datamodels.length ? { datamodels } : {},
    (l) => {
      if (process.env.DEBUG?.includes('prisma')) {
        process.stderr.write(`${String(l)}\n`);
      }
    },
    bindMigrationAwareSqlAdapterFactory(adapters),
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
  if (line.trim()) {
    tail = tail.then(() => handle(line));
  }
});
rl.on('close', () => tail.then(() => process.exit(0)));

async function handle(line) {
  const { id, method, params } = JSON.parse(line);
  if (!method) {
    return; // the CLI's acknowledgement of a "print" notification
  }
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
        if (typeof eng[method] !== 'function') {
          throw new Error(`Unsupported schema engine method: ${method}`);
        }
        return eng[method](p);
      });
    const crash = new Promise((_, reject) => {
      failCurrent = reject;
    });
    const result = await Promise.race([fn(e, params), crash]);
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
    await adapters.closeAll();
    reply({ result: result ?? null });
  } catch (err) {
    await adapters.closeAll().catch((e) => log('ERROR', String(e)));
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
