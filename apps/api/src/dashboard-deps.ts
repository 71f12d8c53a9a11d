import type { Envelope } from '@image-gateway/shared/contract';
import type { Database, Reads } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { QueueInspector } from '@image-gateway/shared/queues';
import type { ObjectStore } from '@image-gateway/shared/storage';
import type { SettingsView } from '@image-gateway/shared/system/schema';
import type { PublicTask } from '@image-gateway/shared/task/schema';
import type { UpstreamSettings } from '@image-gateway/shared/upstreams';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { LimitSettings } from './account/find-account-detail.js';
import type { SignupTerms } from './account/sign-up.js';
import type { Offers } from './catalog/create-offers.js';
import type { OfferSettings } from './catalog/page/view-models.js';
import type { UploadFileDeps } from './file/upload-file.js';
import type { UploadedFileDeps } from './file/uploaded-file.js';
import type { Handler, KeyCall } from './http/framework/call.js';
import type { CallerRates } from './http/rate-limits.js';
import type { ExportUsage } from './usage/export-usage.js';
import type { Auth } from './user/auth/create-auth.js';
import type { LinkMail } from './user/auth/create-link-mail.js';
import type { DeviceCookies } from './user/auth/device-cookies.js';
import type { SignInLimits } from './user/auth/sign-in-limits.js';
import type { WebhookTestDeps } from './webhook/add-webhook-test.js';

/** Dependencies of the routes of the dashboard; each noun takes those it needs. */
export interface DashboardDeps
  extends CallerRates,
    OfferSettings,
    Omit<UploadFileDeps, 'db' | 'store'>,
    Pick<UploadedFileDeps, 'readObject'>,
    Pick<WebhookTestDeps, 'producer'> {
  readonly db: PrismaDatabase;
  /** Connections for pages that can be long: of one account, and of operators. */
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly operatorReads: PrismaDatabase;
  /** Connection with time for statements that read everything. */
  readonly books: Pick<Database, 'run'>;
  readonly store: UploadFileDeps['store'] & Pick<ObjectStore, 'stat'>;
  readonly auth: Auth;
  readonly devices: DeviceCookies;
  readonly limits: SignInLimits;
  readonly limiter: RateLimiter;
  /** ENCRYPTION_KEY; empty: no key of a provider can be stored. */
  readonly encryptionKeys: readonly Buffer[];
  /** Keys and addresses of providers, as far as this environment has them. */
  readonly upstreams: UpstreamSettings;
  readonly inspector: QueueInspector;
  readonly exportUsage: ExportUsage;
  /** Handler of `POST /v1/generate`. */
  readonly generate: Handler<KeyCall, Envelope<PublicTask>>;
  readonly queries: QuerySchemas;
  readonly offers: Offers;
  readonly isAllowedUrl: (url: string) => boolean;
  readonly allowSignup: boolean;
  readonly signupCredit: SignupTerms;
  /** SUPPORT_URL. */
  readonly supportUrl: string | undefined;
  /** TOP_UP_URL. */
  readonly topUpUrl: string | undefined;
  /** Mails with links; null: the gateway sends no mail. */
  readonly mail: LinkMail | null;
  readonly baseUrl: string;
  readonly fileUrl: string;
  /** Lists every setting, without secrets. */
  readonly listSettings: () => SettingsView['settings'];
  /** Days of RETENTION_DAYS; undefined: for ever. */
  readonly retentionDays: number | undefined;
  readonly limitSettings: LimitSettings;
  /** TASK_MAX_ATTEMPTS. */
  readonly maxTries: number;
  /** Path of invariants.sql. */
  readonly invariantsFile: string;
}
