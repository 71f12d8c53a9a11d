import type { DashboardUser } from './generated/dashboard-api.js';

export type {
  AccountDetail,
  AccountItem,
  AuditItem,
  DashboardSession,
  DashboardUser,
  DeliveryItem,
  HintItem,
  KeyItem,
  LedgerReport,
  NewKeyView,
  OpenTaskItem,
  OverviewView,
  PlaygroundView,
  ProviderItem,
  ProvidersView,
  paths as DashboardPaths,
  QueueItem,
  SessionItem,
  SpendDay,
  SystemView,
  TaskDetail,
  TaskItem,
  TransferItem,
  UsageView,
  WebhookSecretView,
  WebhookTestView,
  WholeTask,
  WorkerItem,
} from './generated/dashboard-api.js';
export { KEY_GRACE_HOURS } from './keys.js';

/** What somebody who has a log-in may do: own one account, or operate the gateway. */
export type DashboardRole = DashboardUser['role'];
