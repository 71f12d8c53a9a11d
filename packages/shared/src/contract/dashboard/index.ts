export { KEY_GRACE_HOURS, type KeyItem, type NewKeyView } from './keys.js';
export type {
  AccountDetail,
  AccountItem,
  AuditItem,
  CandidateItem,
  HintItem,
  LedgerReport,
  OpenTaskItem,
  ProviderItem,
  ProvidersView,
  QueueItem,
  SystemView,
  TransferItem,
  WorkerItem,
} from './operator.js';
export type { OverviewView, SpendDay } from './overview.js';
export type { DashboardRole, DashboardSession, DashboardUser, SessionItem } from './session.js';
export type { PlaygroundView, TaskDetail, TaskItem, TaskOutputView } from './tasks.js';
export type { UsageDay, UsageView } from './usage.js';
export type { DeliveryAttempt, DeliveryItem, WebhookSecretView, WebhookTestView } from './webhooks.js';
