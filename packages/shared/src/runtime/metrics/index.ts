export { createMetrics, type Metrics } from './create-metrics.js';
export { type MetricsServer, startMetricsServer } from './start-metrics-server.js';
export { watchCatalog } from './watch-catalog.js';
