import type { Database } from '../create-database.js';
import { tellOperatorsOnce } from '../endpoint-deliveries/tell-operators.js';
import type { Statement } from '../statement.js';

/**
 * Uploads of an account that no task uses yet, at most. They are stored right before their task is submitted and released when it is
 * refused. Only crashes and outages leave more of them.
 */
const MAX_UNUSED = 1_000;

// One statement judges and inserts: the lock of the function is held until both are committed.
const ADD_TASK_INPUTS: Statement = {
  name: 'add-task-inputs',
  text: `
WITH judged AS MATERIALIZED (SELECT * FROM judge_unpaid_uploads($2, (SELECT sum(b) FROM unnest($4::int[]) b), $5::int8, $6::int8)),
added AS (
  INSERT INTO task_inputs (id, account_id, remove_at, unpaid_bytes)
  SELECT u.id, $2, now() + interval '1 hour', CASE WHEN j.used IS NOT NULL THEN u.bytes END
    FROM judged j, unnest($1::text[], $4::int[]) u(id, bytes)
   WHERE j.refused IS NULL
     AND (SELECT count(*) FROM (SELECT FROM task_inputs WHERE account_id = $2 AND task_id IS NULL AND expires_at IS NULL
                                   AND remove_at > now() LIMIT $3::int) w) < $3::int
  RETURNING id)
SELECT j.refused, j.used::float8 AS used, (SELECT count(*)::int FROM added) AS added FROM judged j`,
};

const LINK_TASK_INPUTS: Statement = {
  name: 'link-task-inputs',
  text: 'UPDATE task_inputs SET task_id = $1 WHERE id = ANY($2::text[]) AND task_id IS NULL',
};

// They count for no limit from then on; the sweep removes what the caller does not.
const RELEASE_TASK_INPUTS: Statement = {
  name: 'release-task-inputs',
  text: 'UPDATE task_inputs SET remove_at = now() WHERE id = ANY($1::text[]) AND task_id IS NULL',
};

const EXPIRE_TASK_INPUTS: Statement = {
  name: 'expire-task-inputs',
  text: 'UPDATE task_inputs SET task_id = NULL, remove_at = now() WHERE task_id = $1',
};

/** Bytes that accounts without a payment may store: one of them, and all together. */
export interface UnpaidLimits {
  readonly ownBytes: number;
  readonly allBytes: number;
}

/** Outcome of adding uploads. */
export interface AddedInputs {
  /** False when the account has too many that no task uses, or may not store as much. */
  readonly isAdded: boolean;
  /** Limit that refused them: that of the account, or of all accounts without a payment. */
  readonly refused: 'own' | 'all' | null;
  /** Bytes of all accounts without a payment; null for the upload of another account. */
  readonly used: number | null;
}

/** Adds the rows of uploads, before their objects are stored. */
export async function addTaskInputs(
  db: Pick<Database, 'run'>,
  {
    accountId,
    uploads,
    limits: { ownBytes, allBytes },
  }: {
    readonly accountId: string;
    readonly uploads: readonly { readonly id: string; readonly bytes: number }[];
    readonly limits: UnpaidLimits;
  },
): Promise<AddedInputs> {
  type Row = Pick<AddedInputs, 'refused' | 'used'> & { readonly added: number };
  const [ids, bytes] = [uploads.map(({ id }) => id), uploads.map((upload) => upload.bytes)];
  const [row] = await db.run<Row>(ADD_TASK_INPUTS, [ids, accountId, MAX_UNUSED, bytes, ownBytes, allBytes]);
  return { isAdded: (row?.added ?? 0) > 0, refused: row?.refused ?? null, used: row?.used ?? null };
}

const JUDGE_UNPAID_UPLOAD: Statement = {
  name: 'judge-unpaid-upload',
  text: 'SELECT refused, used::float8 AS used FROM judge_unpaid_uploads($1, $2::int8, $3::int8, $4::int8)',
};

/** Says whether an account may store so many more bytes, before they are received. */
export async function judgeUnpaidUpload(
  db: Pick<Database, 'run'>,
  accountId: string,
  bytes: number,
  { ownBytes, allBytes }: UnpaidLimits,
): Promise<Pick<AddedInputs, 'refused' | 'used'>> {
  const [row] = await db.run<AddedInputs>(JUDGE_UNPAID_UPLOAD, [accountId, bytes, ownBytes, allBytes]);
  return row ?? { refused: null, used: null };
}

const TELL_UNPAID_UPLOADS: Statement = {
  name: 'tell-unpaid-uploads',
  text: tellOperatorsOnce('files.unpaid_full', {
    cause: 'p::text',
    data: { percent: 'p', limit: '$2::int8', used: '$3::int8' },
    from: 'unnest($1::int[]) p',
  }),
};

/** Tells operators once a UTC day that 80, and that 100 percent of what accounts without a payment may store together are used. */
export async function tellUnpaidUploads(
  db: Pick<Database, 'run'>,
  { refused, used }: Pick<AddedInputs, 'refused' | 'used'>,
  { allBytes }: UnpaidLimits,
): Promise<void> {
  // Refused uploads never fill the room to the last byte.
  const isFull = refused === 'all';
  const percents =
    used !== null && (isFull || used * 100 >= allBytes * 80) ? [80, ...(isFull ? [100] : [])] : [];
  if (percents.length > 0) {
    await db.run(TELL_UNPAID_UPLOADS, [percents, allBytes, used]);
  }
}

/** Makes uploads due whose request was refused. */
export async function releaseTaskInputs(db: Pick<Database, 'run'>, ids: readonly string[]): Promise<void> {
  await db.run(RELEASE_TASK_INPUTS, [ids]);
}

/** Names the task that uses uploads. Without it they are removed an hour after they came. */
export async function linkTaskInputs(
  db: Pick<Database, 'run'>,
  { taskId, ids }: { readonly taskId: string; readonly ids: readonly string[] },
): Promise<void> {
  await db.run(LINK_TASK_INPUTS, [taskId, ids]);
}

/** Lets the next sweep remove the uploads of a finished task. */
export async function expireTaskInputs(db: Pick<Database, 'run'>, taskId: string): Promise<void> {
  await db.run(EXPIRE_TASK_INPUTS, [taskId]);
}
