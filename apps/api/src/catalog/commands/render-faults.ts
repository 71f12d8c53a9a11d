import { type CatalogFault, formatFault } from '@image-gateway/shared/catalog/document';
import type { CliResult } from '../../cli/cli-context.js';

/** Renders warnings below a result; empty for none. */
export function renderWarnings(warnings: readonly CatalogFault[]): string {
  return warnings.map((warning) => `\nWarning: ${formatFault(warning)}`).join('');
}

/** Renders a document with faults as a failed result. */
export function renderFaults(faults: readonly CatalogFault[]): CliResult {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  const text = [`The document has ${count}:`, ...faults.map(formatFault)].join('\n');
  return { failed: true, value: { error: { code: 'VALIDATION_ERROR', message: text }, faults }, text };
}
