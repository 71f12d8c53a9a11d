// Statements of packages/shared whose SQL files have marks: the variants that PostgreSQL gets stand written out in `generated`.
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BILLING = 'packages/shared/src/domain/billing';
const MARK = /^( *)(.*?)\/\*= (.+?) \*\/(.*)$/;

const NO_LOCK = { lock: '', 'fields of the task': '' };
const SKIPPING = 'FOR NO KEY UPDATE SKIP LOCKED';
const WAITING = 'FOR NO KEY UPDATE';
/** Each variant with its file, and what stands at the marks that vary. */
const VARIANTS = {
  'find-exceeded-limits': { file: 'find-exceeded-limits.sql', ...NO_LOCK },
  'insert-tasks': { file: 'insert-tasks.sql', lock: SKIPPING },
  'insert-tasks-waiting': { file: 'insert-tasks.sql', lock: WAITING },
  'settle-task': { file: 'settle-task.sql', lock: SKIPPING },
  'settle-task-waiting': { file: 'settle-task.sql', lock: WAITING },
};

/** Fields of a task that its submit inserts beside those of `TASK_FIELDS`, and what makes them of the input row. */
const INSERTED_FIELDS = `wishes jsonb, shape_ratios text[], id text, deadline float8, request text, type text, unit int8, catalog int,
  idem text, fingerprint text, added text, waiter text, process text, equals text, equals_added text, retries int, sole bool, trace text`;

/** Returns what stands at the marks of every variant; the compiled package has the tables and the fragments of other statements. */
async function readFragments() {
  const { TASK_FIELDS, TASK_FIELD_NAMES } = await import('../../packages/shared/dist/domain/task/index.js');
  const db = await import('../../packages/shared/dist/domain/db/index.js');
  const { FENCE, insertOutputs, isInput, OUTCOME_FIELDS, OUTPUT_FIELDS, updateCalls } = db;
  const toLines = (fields) =>
    fields
      .split(',')
      .map((field) => `${field.trim()},\n`)
      .join('');
  const taskFields = TASK_FIELD_NAMES.map((name) => `${name} ${TASK_FIELDS[name].sqlType}`).join(',');
  return {
    'fields of the task': toLines(`${taskFields}, ${INSERTED_FIELDS}`),
    'columns of the task': TASK_FIELD_NAMES.join(',\n'),
    'columns of a limit': [
      'e.name',
      'e.used',
      'e.most',
      'e.seconds',
      'e.retry_seconds AS "retrySeconds"',
    ].join(',\n'),
    'fields of an image': toLines(OUTPUT_FIELDS),
    'fields of an outcome': toLines(OUTCOME_FIELDS),
    fence: `${isInput('t.id', 'id')}\nAND ${FENCE}`,
    'insertion of images': insertOutputs('i.stored'),
    'outcomes of calls': updateCalls(
      'input i JOIN locked l ON l.id = i.account AND (SELECT count(*) FROM task) >= 0',
    ),
  };
}

/** Writes out a file: each mark becomes its fragment, every line of it as far to the right as the mark. */
function writeOut(file, fragments) {
  const text = fs.readFileSync(path.join(ROOT, BILLING, file), 'utf8').trimEnd();
  return text
    .split('\n')
    .flatMap((line) => {
      const [, indent, before, mark, after] = MARK.exec(line) ?? [];
      if (mark === undefined) {
        return [line];
      }
      const fragment = mark.endsWith('.sql') ? writeOut(mark, fragments) : fragments[mark];
      if (fragment === undefined) {
        throw new Error(`${file} has a mark without a fragment: ${mark}`);
      }
      const lines = fragment.trim().split('\n');
      const rest = lines.slice(1).map((more) => `${indent}${' '.repeat(before.length)}${more}`.trimEnd());
      const written = [`${indent}${before}${lines[0]}`.trimEnd(), ...rest];
      written.push(`${written.pop()}${after}`);
      return written.filter((one) => one.trim() !== '' || fragment !== '');
    })
    .join('\n');
}

/** Returns the text of each variant by its file in `generated`, and whether it stands there. */
export async function readStatements() {
  const fragments = await readFragments();
  return Object.entries(VARIANTS).map(([name, { file, ...own }]) => {
    const target = path.join(BILLING, 'generated', `${name}.sql`);
    const text = `-- Written from ${file} by pnpm db:statements.\n${writeOut(file, { ...fragments, ...own })}\n`;
    const full = path.join(ROOT, target);
    return { target, text, isStale: !fs.existsSync(full) || fs.readFileSync(full, 'utf8') !== text };
  });
}

/** Writes each variant into its file, and beside the compiled modules. */
export async function writeStatements() {
  for (const { target, text } of await readStatements()) {
    for (const file of [target, target.replace('/src/', '/dist/')]) {
      fs.mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
      fs.writeFileSync(path.join(ROOT, file), text);
    }
  }
}
