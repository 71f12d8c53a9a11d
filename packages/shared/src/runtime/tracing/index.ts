export { createTracing } from './create-tracing.js';
export { parseTraceparent } from './parse-traceparent.js';
export { NO_TRACING, type Span, type Tracing, trace } from './tracing.js';
