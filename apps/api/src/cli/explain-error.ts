import { ConfigError } from '@image-gateway/shared/config';
import type { ErrorCode } from '@image-gateway/shared/contract';
import { getSqlState } from '@image-gateway/shared/db/database';
import { AppError } from '@image-gateway/shared/errors';
import { redactText } from '@image-gateway/shared/logging/redact';

/** Error for the operator: a code of the error table and a message with the remediation. */
export interface ExplainedError {
  readonly code: ErrorCode;
  readonly message: string;
}

const UNREACHABLE =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|EHOSTUNREACH|ETIMEDOUT|ENOENT|timeout exceeded|terminated|P1001|reach database/i;

const REMEDIATIONS: Readonly<Record<string, string>> = {
  '28P01': 'PostgreSQL refuses the password in DATABASE_URL. Correct it and try again.',
  '28000': 'PostgreSQL refuses this user or address. Correct DATABASE_URL, or allow the user in pg_hba.conf.',
  '3D000':
    'The database named in DATABASE_URL does not exist. Create it, then run: npm run gateway -- migrate',
  '42P01': 'A table is missing: the migrations have not been applied. Run: npm run gateway -- migrate',
  '42703': 'A column is missing: a newer migration has not been applied. Run: npm run gateway -- migrate',
  // The same errors with the codes of Prisma.
  P1000: 'PostgreSQL refuses the user or password in DATABASE_URL. Correct it and try again.',
  P1003: 'The database named in DATABASE_URL does not exist. Create it, then run: npm run gateway -- migrate',
  P2021: 'A table is missing: the migrations have not been applied. Run: npm run gateway -- migrate',
  P2022: 'A column is missing: a newer migration has not been applied. Run: npm run gateway -- migrate',
  '53300':
    'PostgreSQL has no free connection for this role. Stop programs that hold connections, or raise max_connections, and the limit ' +
    'of the role where it has one: ALTER ROLE … CONNECTION LIMIT.',
  '53100': 'The disk of PostgreSQL is full. Free or add disk space on the database server.',
  '25006':
    'The database takes no writes: it is a standby, or default_transaction_read_only is on. Point DATABASE_URL at the primary, or run: ' +
    'BEGIN READ WRITE; ALTER DATABASE … RESET default_transaction_read_only; COMMIT.',
  '57P03': 'PostgreSQL is starting up or shutting down. Try again in a moment.',
  '55P03': 'Another process holds a lock on this row. Try again in a moment.',
  '57014': 'The statement took too long. Try again in a moment.',
};

/** Explains any thrown value to an operator, who may see more than a customer, but no secret. */
export function explainError(thrown: unknown): ExplainedError {
  if (thrown instanceof ConfigError) {
    return { code: 'BAD_REQUEST', message: explainSettings(thrown) };
  }
  const state = getSqlState(thrown);
  const remediation = state === undefined ? undefined : REMEDIATIONS[state];
  if (remediation !== undefined) {
    return { code: 'SERVICE_UNAVAILABLE', message: remediation };
  }
  const text = rootMessage(thrown);
  if (state === '42501') {
    return { code: 'SERVICE_UNAVAILABLE', message: explainMissingRight(text) };
  }
  if (thrown instanceof AppError && thrown.cause === undefined) {
    return { code: thrown.code, message: thrown.publicMessage };
  }
  if (UNREACHABLE.test(text)) {
    return {
      code: 'SERVICE_UNAVAILABLE',
      message: `PostgreSQL cannot be reached at the address in DATABASE_URL (${redactText(text)}). Start it, or correct DATABASE_URL.`,
    };
  }
  return {
    code: thrown instanceof AppError ? thrown.code : 'INTERNAL_ERROR',
    message: redactText(text),
  };
}

function explainSettings(error: ConfigError): string {
  return `${error.message}\nSet them in the environment, or start the gateway with npm start (it writes DATA_DIR/run.json).`;
}

function explainMissingRight(text: string): string {
  return text.includes('for schema')
    ? `The role may create no tables (${text}). Set DIRECT_URL to the address of the owner of the database.`
    : `The role of DATABASE_URL may not do that (${text}). As the owner of the tables, run prisma/application-role.sql for it.`;
}

/** Returns the message of the first cause. */
function rootMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) {
    return String(thrown);
  }
  if (thrown.cause !== undefined) {
    return rootMessage(thrown.cause);
  }
  const { code } = thrown as { code?: unknown };
  const lines = thrown.message.split('\n').filter((line) => line.trim() !== '');
  // An error about several addresses has no message of its own.
  return lines.at(-1)?.trim() ?? (typeof code === 'string' ? code : thrown.name);
}
