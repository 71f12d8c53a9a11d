import type { AccountLimitsBody } from '../account-limits.js';
import type { PublicFile } from '../file.js';
import type { GenerateRequest } from '../generate-request.js';
import type { KeyLimitsBody } from '../key-limits.js';
import type { Page } from '../pagination.js';
import type { PageQuery, TasksQuery } from '../queries.js';
import type { PublicTask } from '../task.js';
import type {
  AccountDetail,
  AccountItem,
  BookedView,
  CreditRequestBody,
  CreditRequestItem,
  MoneyBody,
} from './account.js';
import type { CreateEndpointBody, EndpointItem, EventItem, NewEndpointView } from './endpoint.js';
import type { CreateKeyBody, KeyItem, NewKeyView, RotateKeyBody } from './key.js';
import type {
  CheckedDocumentView,
  DocumentNote,
  ModelChange,
  ModelDraft,
  ModelDraftView,
  ModelMargin,
  ModelsView,
} from './model.js';
import type { ManagedProvidersView, NeedsView, ProviderCheckView, ProvidersView } from './provider.js';
import type {
  ChangePasswordBody,
  Credentials,
  DashboardSession,
  ResetPasswordBody,
  SessionItem,
} from './session.js';
import type { StatusSpan, StatusView } from './status.js';
import type { AuditItem, AuditQuery, HintItem, LedgerReport, QueueItem, SystemView } from './system.js';
import type {
  GalleryPage,
  GalleryQuery,
  OpenTaskItem,
  PlaygroundRun,
  PlaygroundView,
  TaskDetail,
  TaskItem,
  WholeTask,
} from './task.js';
import type { MetadataQuery, OverviewView, UsageSpanQuery, UsageView } from './usage.js';
import type { DeliveryItem, WebhookSecretView, WebhookTestView } from './webhook.js';

type Paged<Q = unknown> = Partial<PageQuery> & Q;
/** Part of a list; `next` is the `before` of the next one, null at the end. */
type Part<T> = { readonly items: readonly T[]; readonly next: string | null };
type PartQuery = { readonly per_page?: number; readonly before?: string | undefined };
type Empty = Readonly<Record<string, never>>;
type NewVersion = { readonly version: number };
type Reason = { readonly reason: string };
type TaskFilter = Partial<Pick<TasksQuery, 'status' | 'type' | 'model'>> & MetadataQuery;
/** Fields with a default may be absent or null. */
type GenerateBody = Pick<GenerateRequest, 'model' | 'prompt'> & {
  readonly [F in Exclude<keyof GenerateRequest, 'model' | 'prompt'>]?: GenerateRequest[F] | null;
};

/**
 * JSON API of the dashboard below `/dashboard/api`: `data` of the response, and the query or body of the request, by method
 * and path. Handlers and pages are typed by it; it changes with them.
 */
export interface DashboardApi {
  readonly 'get /session': { readonly data: DashboardSession };
  readonly 'post /sign-in': { readonly data: Empty; readonly body: Credentials };
  readonly 'post /sign-up': { readonly data: Empty; readonly body: Credentials };
  readonly 'post /sign-up/confirm': {
    readonly data: Empty;
    readonly body: { readonly token: string; readonly password: string };
  };
  readonly 'post /password/forgot': { readonly data: Empty; readonly body: { readonly email: string } };
  readonly 'post /password/reset': { readonly data: Empty; readonly body: ResetPasswordBody };
  readonly 'post /sign-out': { readonly data: Empty };
  readonly 'post /password': { readonly data: Empty; readonly body: ChangePasswordBody };
  readonly 'get /sessions': { readonly data: readonly SessionItem[] };
  readonly 'post /sessions/end-others': { readonly data: { readonly ended: number } };
  readonly 'get /overview': { readonly data: OverviewView };
  readonly 'post /credit-requests': { readonly data: Empty; readonly body: CreditRequestBody };
  readonly 'get /keys': { readonly data: readonly KeyItem[] };
  readonly 'post /keys': { readonly data: NewKeyView; readonly body: CreateKeyBody };
  readonly 'post /keys/:id/limits': { readonly data: Empty; readonly body: KeyLimitsBody };
  readonly 'post /keys/:id/revoke': { readonly data: { readonly revoked_at: string } };
  readonly 'post /keys/:id/rotate': { readonly data: NewKeyView; readonly body: RotateKeyBody };
  readonly 'get /playground': { readonly data: PlaygroundView };
  readonly 'post /generate': {
    readonly data: PublicTask;
    readonly body: GenerateBody & { readonly mask?: string | null };
  };
  readonly 'get /runs': { readonly data: readonly PlaygroundRun[] };
  readonly 'post /files': { readonly data: PublicFile };
  readonly 'get /tasks': { readonly data: Page<TaskItem>; readonly query: Paged<TaskFilter> };
  readonly 'get /tasks/:id': { readonly data: TaskDetail };
  readonly 'post /tasks/:id/cancel': { readonly data: Empty };
  readonly 'get /images': { readonly data: GalleryPage; readonly query: GalleryQuery };
  readonly 'post /tasks/:id/delete': { readonly data: Empty };
  readonly 'get /usage': { readonly data: UsageView; readonly query: UsageSpanQuery };
  readonly 'get /webhooks': {
    readonly data: Page<DeliveryItem>;
    readonly query: Paged<{ readonly state?: DeliveryItem['state'] }>;
  };
  readonly 'get /webhooks/secret': { readonly data: WebhookSecretView };
  readonly 'post /webhooks/secret/rotate': { readonly data: WebhookSecretView };
  readonly 'post /webhooks/test': { readonly data: WebhookTestView; readonly body: { readonly url: string } };
  readonly 'get /webhooks/tests': { readonly data: readonly WebhookTestView[] };
  readonly 'get /webhooks/tests/:id': { readonly data: WebhookTestView };
  readonly 'post /webhooks/:id/resend': { readonly data: Empty };
  readonly 'get /endpoints': { readonly data: readonly EndpointItem[] };
  readonly 'post /endpoints': { readonly data: NewEndpointView; readonly body: CreateEndpointBody };
  readonly 'post /endpoints/:id/delete': { readonly data: Empty };
  readonly 'get /endpoints/events': { readonly data: readonly EventItem[] };
  readonly 'get /operator/endpoints': { readonly data: readonly EndpointItem[] };
  readonly 'post /operator/endpoints': { readonly data: NewEndpointView; readonly body: CreateEndpointBody };
  readonly 'post /operator/endpoints/:id/delete': { readonly data: Empty };
  readonly 'get /operator/events': { readonly data: readonly EventItem[] };
  readonly 'post /operator/events/:id/resend': { readonly data: Empty };
  readonly 'get /operator/system': { readonly data: SystemView };
  readonly 'get /operator/status': {
    readonly data: StatusView;
    readonly query: { readonly span?: StatusSpan };
  };
  readonly 'get /operator/credit-requests': {
    readonly data: readonly CreditRequestItem[];
    readonly query: { readonly account_id?: string };
  };
  readonly 'get /operator/accounts': {
    readonly data: Part<AccountItem>;
    readonly query: PartQuery & { readonly q?: string };
  };
  readonly 'get /operator/accounts/:id': { readonly data: AccountDetail };
  readonly 'post /operator/accounts/:id/credit': {
    readonly data: BookedView & { readonly credited: boolean };
    readonly body: MoneyBody;
  };
  readonly 'post /operator/accounts/:id/adjust': {
    readonly data: BookedView & { readonly adjusted: boolean };
    readonly body: MoneyBody;
  };
  readonly 'post /operator/accounts/:id/suspend': { readonly data: Empty; readonly body: Reason };
  readonly 'post /operator/accounts/:id/resume': { readonly data: Empty };
  readonly 'get /operator/accounts/:id/keys': { readonly data: readonly KeyItem[] };
  readonly 'post /operator/accounts/:id/keys/:key/revoke': { readonly data: { readonly revoked_at: string } };
  readonly 'post /operator/accounts/:id/keys/:key/rotate': {
    readonly data: NewKeyView;
    readonly body: RotateKeyBody;
  };
  readonly 'post /operator/accounts/:id/limits': { readonly data: Empty; readonly body: AccountLimitsBody };
  readonly 'post /operator/accounts/:id/users/:user/reset-password': {
    readonly data: { readonly password: string };
  };
  readonly 'post /operator/accounts/:id/set-password': {
    readonly data: { readonly email: string };
    readonly body: Credentials;
  };
  readonly 'get /operator/tasks': {
    readonly data: readonly OpenTaskItem[];
    readonly query: { readonly stuck?: boolean };
  };
  readonly 'get /operator/tasks/:id': { readonly data: WholeTask };
  readonly 'post /operator/tasks/:id/requeue': { readonly data: Empty };
  readonly 'post /operator/tasks/:id/fail': { readonly data: Empty; readonly body: Reason };
  readonly 'post /operator/tasks/:id/refund': {
    readonly data: { readonly refunded: string };
    readonly body: Reason;
  };
  readonly 'get /operator/providers': {
    readonly data: ProvidersView;
    readonly query: { readonly hours?: 1 | 24 | 168 };
  };
  readonly 'get /operator/needs': { readonly data: NeedsView };
  readonly 'get /operator/models': { readonly data: ModelsView };
  readonly 'get /operator/models/margins': { readonly data: readonly ModelMargin[] };
  readonly 'get /operator/models/versions/:version': {
    readonly data: { readonly changes: readonly DocumentNote[] };
  };
  readonly 'post /operator/models/draft': { readonly data: ModelDraftView; readonly body: ModelDraft };
  readonly 'post /operator/models/check': {
    readonly data: CheckedDocumentView;
    readonly body: { readonly source: string };
  };
  readonly 'post /operator/models/apply': {
    readonly data: NewVersion;
    readonly body: { readonly from: number; readonly source: string; readonly note?: string | null };
  };
  readonly 'post /operator/models/prices': {
    readonly data: NewVersion;
    readonly body: { readonly from: number; readonly models: readonly ModelChange[] };
  };
  readonly 'post /operator/models/rollback': {
    readonly data: NewVersion;
    readonly body: { readonly from: number; readonly to: number };
  };
  readonly 'get /operator/models/providers': { readonly data: ManagedProvidersView };
  readonly 'post /operator/models/providers/:name/key': {
    readonly data: { readonly tested: boolean; readonly reason: string | null };
    readonly body: { readonly keys: string; readonly password: string };
  };
  readonly 'post /operator/models/providers/:name/key/remove': {
    readonly data: Empty;
    readonly body: { readonly password: string };
  };
  readonly 'post /operator/models/providers/:name/check': {
    readonly data: ProviderCheckView;
    /** A cost asks for an image, and is what the page said of it. */
    readonly body: { readonly cost?: string | null };
  };
  readonly 'get /operator/models/provider-checks/:id': { readonly data: ProviderCheckView };
  readonly 'post /operator/models/providers/:name/limit': {
    readonly data: Empty;
    readonly body: { readonly cost_day: string | null };
  };
  readonly 'post /operator/models/providers/:name/pause': {
    readonly data: Empty;
    /** Null: until it is resumed. */
    readonly body: { readonly hours: number | null };
  };
  readonly 'post /operator/models/providers/:name/resume': { readonly data: Empty };
  readonly 'get /operator/queues': { readonly data: readonly QueueItem[] };
  readonly 'get /operator/hints': { readonly data: readonly HintItem[] | null };
  readonly 'post /operator/ledger/check': { readonly data: LedgerReport };
  readonly 'get /operator/audit': {
    readonly data: Part<AuditItem>;
    readonly query: PartQuery & AuditQuery;
  };
}
