import type { Logger } from '../logging/index.js';
import type { Metrics } from './create-metrics.js';

/** Creates the callbacks of a catalog feed that log and measure which version a process uses. */
export function watchCatalog({ logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics }) {
  return {
    onChange: ({
      version,
      newestVersion,
    }: {
      readonly version: number;
      readonly newestVersion: number;
    }): void => {
      metrics.catalogVersion.set(version);
      metrics.catalogBehind.set(newestVersion - version);
      logger.info('catalog active', { version, newestVersion });
    },
    onStale: (error: unknown): void => {
      logger.warn(
        'the catalog could not be followed in time; requests are judged by the last one that was read',
        { error },
      );
    },
    onUnreadable: (version: number, error: Error): void => {
      logger.error('a catalog version cannot be read here; the newest readable one stays active', {
        version,
        error: error.message,
      });
    },
  };
}
