import { ID_PATTERN } from '../../domain/contract/index.js';
import { parseDollars } from '../../domain/money/index.js';
import { parseHostPort } from './parse-host-port.js';
import { parseRate } from './parse-rate.js';
import { parseSentinelUrl } from './parse-redis-url.js';
import { parseTrustProxy, type TrustProxy } from './parse-trust-proxy.js';
import {
  boolean,
  byteSize,
  choice,
  list,
  optional,
  port,
  positiveInteger,
  positiveNumber,
  type Setting,
  secret,
  text,
  url,
  wholeNumber,
} from './setting.js';

const modelId = (value: string): string => {
  if (!ID_PATTERN.test(value)) {
    throw new Error(`must name models of the catalog, not ${value}`);
  }
  return value;
};

const dollars = (value: string): bigint => {
  try {
    return parseDollars(value);
  } catch {
    throw new Error('must be a positive number of dollars such as 0.25');
  }
};

/** Dollars, or 0 for none. */
const dollarsOrZero = (value: string): bigint => (/^0+(\.0+)?$/.test(value) ? 0n : dollars(value));

/** Address of a page or a mailbox where people are helped. */
const supportUrl = (value: string): string => {
  if (!/^(https?:\/\/|mailto:)\S+$/i.test(value) || !URL.canParse(value)) {
    throw new Error('must be a URL that begins with https://, http:// or mailto:');
  }
  return value;
};

/** Address of a page. */
const webUrl = (value: string): string => {
  if (!/^https?:\/\/\S+$/i.test(value) || !URL.canParse(value)) {
    throw new Error('must be a URL that begins with https:// or http://');
  }
  return value;
};

const trustProxy: Setting<TrustProxy> = { parse: parseTrustProxy, fallback: false };

/** Text for a header. */
const printable = (value: string): string => {
  if (!/^[\x20-\x7e]{1,200}$/.test(value)) {
    throw new Error('must be 1 to 200 visible ASCII characters, such as a URL or an e-mail address');
  }
  return value;
};

/** Sender of mails, with or without a name. */
const sender = (value: string): string => {
  if (!/^(?:[^<>\r\n]{0,100}<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(value)) {
    throw new Error('must be an e-mail address such as no-reply@example.com, or Name <no-reply@example.com>');
  }
  return value;
};

const seconds = (value: string): number => positiveNumber().parse(value);

const notEmpty = <T>(setting: { parse: (value: string) => readonly T[] }, fallback: readonly T[]) => ({
  parse: (value: string) => {
    const entries = setting.parse(value);
    if (entries.length === 0) {
      throw new Error('must not be empty');
    }
    return entries;
  },
  fallback,
});

const longSecret = (value: string): string => {
  if (value.length < 32) {
    throw new Error('must have at least 32 characters');
  }
  return value;
};

/** Key of AES-256. */
const encryptionKey = (value: string): Buffer => {
  const key = Buffer.from(value, 'base64');
  if (key.length !== 32 || key.toString('base64').replace(/=+$/, '') !== value.replace(/=+$/, '')) {
    throw new Error('must be 32 bytes in base64; make them with: openssl rand -base64 32');
  }
  return key;
};

/** Wraps the prefix in braces: they keep the keys of one queue in one slot of a cluster. */
const redisPrefix = (value: string): string => {
  if (!/^[A-Za-z0-9_.-]{1,40}$/.test(value)) {
    throw new Error('must be 1 to 40 letters, digits, _, . or -');
  }
  return `{${value}}`;
};

/** Origin of a web page as browsers send it, or `*` for all. */
const corsOrigin = (value: string): string => {
  if (value === '*') {
    return value;
  }
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value) || new URL(value).origin !== value) {
    throw new Error(`must list origins such as https://app.example.com, or *, not ${value}`);
  }
  return value;
};

/** Address of one server, or of a group of Sentinels. */
const redisUrl = {
  parse: (value: string): string =>
    parseSentinelUrl(value) === null
      ? url(['redis:', 'rediss:', 'redis+sentinel:', 'rediss+sentinel:']).parse(value)
      : value,
};

/** Key of the object store; needless where the machine's role gives one. */
const storeKey = secret({
  parse: (value: string): string => value,
  needless: (env: Readonly<Record<string, string | undefined>>): string | undefined =>
    env.S3_CREDENTIALS?.trim() === 'role' ? '' : undefined,
});

/** Every setting but those of providers, by its environment variable; each process picks its own from here. */
export const sharedSettings = {
  DATABASE_URL: url(['postgresql:', 'postgres:']),
  DIRECT_URL: optional(url(['postgresql:', 'postgres:'])),
  REDIS_URL: redisUrl,
  S3_ENDPOINT: url(['http:', 'https:']),
  S3_REGION: text('us-east-1'),
  S3_BUCKET: text('image-gateway'),
  S3_CREDENTIALS: choice(['keys', 'role'], 'keys'),
  S3_ACCESS_KEY: storeKey,
  S3_SECRET_KEY: storeKey,
  PORT: port(3000),
  HOST: text('0.0.0.0'),
  CONTAINER: boolean(false),
  BASE_URL: optional(url(['http:', 'https:'])),
  FILE_URL: optional(url(['http:', 'https:'])),
  TRUST_PROXY: trustProxy,
  ENABLED_MODELS: optional(list(modelId)),
  CATALOG_FILE: optional(text()),
  RATE_LIMIT_KEY: { parse: parseRate, fallback: { limit: 600, windowSeconds: 60 } },
  RATE_LIMIT_IP: { parse: parseRate, fallback: { limit: 1200, windowSeconds: 60 } },
  RATE_LIMIT_ACCOUNT: { parse: parseRate, fallback: null },
  RATE_LIMIT_AUTH: { parse: parseRate, fallback: { limit: 20, windowSeconds: 60 } },
  RATE_LIMIT_FILES: { parse: parseRate, fallback: { limit: 3000, windowSeconds: 60 } },
  MAX_PENDING_TASKS: positiveInteger(1000),
  MAX_PENDING_DELIVERIES: positiveInteger(100_000),
  MAX_PENDING_HOSTS: positiveInteger(10_000),
  MAX_FAILED_TASKS: { parse: parseRate, fallback: { limit: 1000, windowSeconds: 3600 } },
  MAX_FILES: positiveInteger(1000),
  MAX_FILES_BYTES: byteSize(5 * 1024 ** 3),
  UNPAID_FILES_BYTES: byteSize(5 * 1024 ** 3),
  TASK_DEADLINE_MS: positiveNumber(15 * 60_000),
  TASK_MAX_ATTEMPTS: positiveInteger(3),
  RETRY_BACKOFF: notEmpty(list(seconds), [5, 20, 60]),
  AMBIGUOUS_RETRIES: wholeNumber(0),
  MAX_UPSTREAM_COST: optional({ parse: dollars }),
  MAX_UPSTREAM_COST_DAY: optional({ parse: dollars }),
  LEASE_MS: positiveNumber(30_000),
  HEARTBEAT_MS: positiveNumber(10_000),
  SWEEP_MS: positiveNumber(5_000),
  RETENTION_DAYS: optional(positiveNumber()),
  RETENTION_SWEEP_MS: positiveNumber(3_600_000),
  DETAIL_RETENTION_DAYS: positiveNumber(90),
  GENERATION_CONCURRENCY: positiveInteger(16),
  ANSWER_MEMORY: byteSize(96 * 1024 ** 2),
  // By custom /tmp may lie in memory, and /var/tmp does not.
  SPOOL_DIR: text('/var/tmp/image-gateway-spool'),
  SPOOL_MAX: byteSize(4 * 1024 ** 3),
  WEBHOOK_CONCURRENCY: positiveInteger(64),
  WEBHOOK_RETRY_SCHEDULE: notEmpty(
    list(seconds),
    [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  ),
  WEBHOOK_TIMEOUT_MS: positiveNumber(15_000),
  OUTBOUND_ALLOW: list(parseHostPort, []),
  OUTBOUND_CONTACT: optional({ parse: printable }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url(['http:', 'https:'])),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(url(['http:', 'https:'])),
  OTEL_SDK_DISABLED: boolean(false),
  LOG_LEVEL: choice(['error', 'warn', 'info', 'debug'], 'info'),
  SHUTDOWN_GRACE_MS: positiveNumber(25_000),
  METRICS_PORT: port(9464),
  METRICS_HOST: text('127.0.0.1'),
  DATABASE_POOL: optional(positiveInteger()),
  REDIS_PREFIX: { parse: redisPrefix, fallback: '{gw}' },
  SMTP_URL: optional(url(['smtp:', 'smtps:'])),
  MAIL_FROM: optional({ parse: sender }),
  AUTH_SECRET: secret(list(longSecret, [])),
  ENCRYPTION_KEY: secret(list(encryptionKey, [])),
  ALLOW_SIGNUP: boolean(false),
  SIGNUP_CREDIT: { parse: dollarsOrZero, fallback: 0n },
  SIGNUP_CREDIT_LIMIT: optional({ parse: dollars }),
  SUPPORT_URL: optional({ parse: supportUrl }),
  TOP_UP_URL: optional({ parse: webUrl }),
  DASHBOARD: boolean(true),
  CORS_ORIGINS: list(corsOrigin, []),
  OPENAI_FACADE: boolean(true),
  FACADE_MAX_WAIT: optional(positiveNumber()),
  MCP: boolean(true),
  MCP_CONFIRM_ABOVE: { parse: dollarsOrZero, fallback: 100_000n },
} as const;

type SharedSettings = typeof sharedSettings;

/** Picks the settings of a process from the table of all. */
export function pickSettings<Name extends keyof SharedSettings>(
  ...names: readonly Name[]
): Pick<SharedSettings, Name> {
  return Object.fromEntries(names.map((name) => [name, sharedSettings[name]])) as Pick<SharedSettings, Name>;
}
