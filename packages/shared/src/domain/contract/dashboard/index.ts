export type {
  AccountDetail,
  AccountItem,
  CreditRequestBody,
  CreditRequestItem,
  TransferItem,
} from './account.js';
export type { DashboardApi } from './api.js';
export type { CreateEndpointBody, EndpointItem, EventItem, NewEndpointView } from './endpoint.js';
export {
  KEY_GRACE_HOURS,
  type KeyItem,
  type NewKeyView,
  PLAYGROUND_KEY_ID,
  type RotateKeyBody,
} from './key.js';
export type {
  CheckedDocumentView,
  DocumentNote,
  DollarsByQuality,
  ModelChange,
  ModelDraft,
  ModelDraftView,
  ModelItem,
  ModelMargin,
  ModelRoute,
  ModelsView,
} from './model.js';
export type {
  ManagedProvider,
  ManagedProvidersView,
  ModeratedItem,
  NeedsView,
  ProviderCheckResult,
  ProviderCheckView,
  ProviderItem,
  ProviderLimitItem,
  ProviderNeedItem,
  ProvidersView,
  WorkerItem,
} from './provider.js';
export type { DashboardRole, DashboardSession, DashboardUser, SessionItem } from './session.js';
export {
  STATUS_SPANS,
  type StatusFigures,
  type StatusPoint,
  type StatusSpan,
  type StatusView,
} from './status.js';
export {
  AUDIT_AUTHORS,
  type AuditAuthors,
  type AuditItem,
  type AuditQuery,
  type HintItem,
  type LedgerReport,
  type QueueItem,
  type SystemView,
} from './system.js';
export type {
  FormField,
  FormFieldName,
  GalleryImage,
  GalleryPage,
  GalleryQuery,
  OpenTaskItem,
  PlaygroundModel,
  PlaygroundRun,
  PlaygroundView,
  TaskDetail,
  TaskItem,
  TaskWait,
  WholeTask,
} from './task.js';
export type { OverviewView, SpendDay, UsageView } from './usage.js';
export type { DeliveryItem, WebhookSecretView, WebhookTestView } from './webhook.js';
