import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Metadata, UsageFormat } from '@image-gateway/shared/contract';
import type { AccountReads, Reads, UsageRowFilter } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { presentUsage } from '@image-gateway/shared/presenters';
import { type Charge, listCharges } from './list-charges.js';

/** Usage to export. */
export interface UsageExport {
  readonly accountId: string;
  readonly filter: UsageRowFilter;
  readonly format: UsageFormat;
  /** Adds the id of the API key to each record. */
  readonly withKeys?: boolean;
}

/** File of all usage: its media type, and its lines as they are read. */
export interface UsageFile {
  readonly contentType: string;
  readonly stream: Readable;
}

/** Exports usage; throws AppError `RATE_LIMITED` while another export of the account is under way. */
export type ExportUsage = (wanted: UsageExport) => Promise<UsageFile>;

/** Repeats of a page that has no turn in time, a second after it gave up. Others of the account have the turns then. */
const MAX_REPEATS = 3;
const REPEAT_MS = 1_000;
const BUSY: ReadonlySet<string> = new Set(['SERVICE_UNAVAILABLE', 'RATE_LIMITED']);

const CONTENT_TYPES: Readonly<Record<UsageFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};
const COLUMNS = ['id', 'task_id', 'model', 'type', 'units', 'cost', 'created_at'] as const;

/**
 * Creates the exporter. An account exports one file at a time in a process. A page is read when the client has taken the one
 * before, and no connection is held in between. An export that cannot go on cuts its response.
 */
export function createUsageExporter({ reads }: { readonly reads: Pick<Reads, 'ofAccount'> }): ExportUsage {
  const exporting = new Set<string>();
  return async ({ accountId, filter, format, withKeys = false }) => {
    if (exporting.has(accountId)) {
      throw new AppError('RATE_LIMITED', {
        publicMessage: 'An export of this account is under way. Wait for its end.',
        retryAfterSeconds: 5,
      });
    }
    exporting.add(accountId);
    const end = (): unknown => exporting.delete(accountId);
    let hasBegun = false;
    const db = repeatReads(reads.ofAccount(accountId), () => hasBegun);
    const pages = listCharges(db, accountId, filter);
    // The first page is read before the response begins, so that an error of it has its status.
    const first = await pages.next().catch((error: unknown) => {
      end();
      throw error;
    });
    hasBegun = true;
    // Later columns stand last, so that the former ones keep their places.
    const columns = [...COLUMNS, ...(withKeys ? (['api_key_id'] as const) : []), 'metadata', 'quality'];
    const formatLine = (item: Item): string =>
      format === 'csv'
        ? formatCsv(columns.map((name) => formatValue(item[name])))
        : `${JSON.stringify(item)}\n`;
    async function* lines(): AsyncGenerator<string, void> {
      if (format === 'csv') {
        yield formatCsv(columns);
      }
      for (let page = first; !page.done; page = await pages.next()) {
        if (page.value.length > 0) {
          yield page.value.map((charge) => formatLine(toItem(charge, withKeys))).join('');
        }
      }
    }
    const stream = Readable.from(lines(), { objectMode: true, highWaterMark: 1 });
    stream.once('close', end);
    return { contentType: CONTENT_TYPES[format], stream };
  };
}

type Value = string | number | Metadata;
type Item = Readonly<Record<string, Value>>;

function toItem(charge: Charge, withKeys: boolean): Item {
  const { quality, metadata, ...item } = presentUsage(charge);
  return {
    ...item,
    ...(withKeys && { api_key_id: charge.apiKeyId }),
    ...(metadata !== undefined && { metadata }),
    ...(quality !== undefined && { quality }),
  };
}

/** Writes a value for CSV. Metadata is JSON in quotes; all others are ids, names of the catalog or numbers, which need none. */
function formatValue(value: Value = ''): string | number {
  return typeof value === 'object' ? `"${JSON.stringify(value).replaceAll('"', '""')}"` : value;
}

const formatCsv = (values: readonly (string | number)[]): string => `${values.join(',')}\r\n`;

function repeatReads(db: AccountReads, mayRepeat: () => boolean): AccountReads {
  return {
    run: async (statement, values) => {
      for (let repeat = 0; ; repeat++) {
        try {
          return await db.run(statement, values);
        } catch (error) {
          const isBusy = error instanceof AppError && BUSY.has(error.code);
          if (!isBusy || repeat >= MAX_REPEATS || !mayRepeat()) {
            throw error;
          }
          await delay(REPEAT_MS);
        }
      }
    },
  };
}
