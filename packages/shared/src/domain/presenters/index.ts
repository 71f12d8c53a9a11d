export { describeKeyCheck, explainUntested } from './describe-key-check.js';
export { formatCsv } from './format-csv.js';
export { presentAmounts } from './present-amounts.js';
export { presentEndpointEvent, type StoredEvent } from './present-endpoint-event.js';
export { presentFullTask } from './present-full-task.js';
export { presentTask, type TaskView } from './present-task.js';
export { presentUsage, presentUsageSum, type UsageRecordView, type UsageSumView } from './present-usage.js';
export { presentWebhookEvent } from './present-webhook-event.js';
