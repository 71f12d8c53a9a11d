export { createTracing } from './create-tracing.js';
export { parseTraceparent } from './parse-traceparent.js';
export { type Attributes, NO_TRACING, type Span, type Tracing, trace } from './tracing.js';
