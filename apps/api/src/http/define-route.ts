import type { Envelope, KeyScope } from '@image-gateway/shared/contract';
import {
  enveloped,
  type Infer,
  type InferInput,
  type JsonSchema,
  type Shape,
} from '@image-gateway/shared/schema';
import type { DashboardRole } from '@image-gateway/shared/user/schema';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { SessionUser } from '../user/find-session-user.js';
import type { Call, Handler, KeyCall, Reply, Route } from './framework/call.js';
import { readQuery } from './query.js';
import { dataReply } from './session/data-reply.js';
import { readBody } from './session/read-body.js';

/** Prefix of the paths of the dashboard's API. */
export const DASHBOARD_API = '/dashboard/api';

/** Request with a session. */
export interface UserCall extends Call {
  readonly user: SessionUser;
}

/** Request of the owner of an active account. */
export interface OwnerCall extends UserCall {
  readonly accountId: string;
}

/** Routes that need no session. */
export const visitors = { door: 'dashboard', access: 'open' } as const;
/** Routes of everybody with a session. */
export const users = { door: 'dashboard', access: 'session', roles: ['owner', 'operator'] } as const;
/** Routes of owners of an account. */
export const owners = { door: 'dashboard', access: 'session', roles: ['owner'] } as const;
/** Routes of operators. */
export const operators = { door: 'dashboard', access: 'session', roles: ['operator'] } as const;

declare const types: unique symbol;
type AnyShape = Shape<unknown, unknown>;
type Roles = readonly DashboardRole[];

/** Route of the dashboard's API, with the types that its pages need: of the data, and of the body or query as they are sent. */
export interface DashboardRoute<
  out M extends 'get' | 'post' = 'get' | 'post',
  out P extends string = string,
  out Data = unknown,
  out Body = unknown,
  out Query = unknown,
> {
  readonly door: 'dashboard';
  readonly method: M;
  /** Path below `/dashboard/api`. */
  readonly path: P;
  /** Users that may call it; empty: everybody. */
  readonly roles: Roles;
  readonly summary: string;
  readonly reads?: 'json' | 'document';
  /** Absent: a file. */
  readonly response?: AnyShape;
  /** Handles a request that the guard let in. */
  readonly handle: Handler<OwnerCall>;
  readonly [types]?: { readonly data: Data; readonly body: Body; readonly query: Query };
}

type AdmittedCall<A, R> = A extends 'open' ? Call : R extends readonly ['owner'] ? OwnerCall : UserCall;
type CheckedInput<B, Q> = B extends AnyShape ? Infer<B> : Q extends AnyShape ? Infer<Q> : undefined;
type SentValue<S> = S extends AnyShape ? InferInput<S> : never;
/** Result of a route: nothing where its data has no fields. */
// biome-ignore lint/suspicious/noConfusingVoidType: the result of a function
type RouteResult<D extends AnyShape> = [Record<never, never>] extends [Infer<D>] ? void : Infer<D>;

type DashboardSpec<M, P, A, R, B, Q, D extends AnyShape> = {
  readonly door: 'dashboard';
  readonly method: M;
  readonly path: P;
  readonly access: A;
  readonly summary: string;
  readonly body?: B;
  /** Body as large as a document of the catalog. */
  readonly isLarge?: true;
  readonly query?: Q;
  /** Refuses a request before its input is checked. */
  readonly admit?: (call: AdmittedCall<A, R>) => Promise<void>;
} & (A extends 'session' ? { readonly roles: R } : { readonly roles?: never }) &
  (
    | {
        readonly response: D;
        readonly run: (
          call: AdmittedCall<A, R> & { readonly input: CheckedInput<B, Q> },
        ) => Promise<RouteResult<D>> | RouteResult<D>;
      }
    | {
        readonly response: D;
        /** A route that sets more of its reply than the data. */
        readonly reply: (
          call: AdmittedCall<A, R> & { readonly input: CheckedInput<B, Q> },
        ) => Promise<Reply<Envelope<Infer<D>>>>;
      }
    | {
        /** A route that sends a file. */
        readonly send: (call: AdmittedCall<A, R> & { readonly input: CheckedInput<B, Q> }) => Promise<Reply>;
      }
  );

/**
 * Defines a route of the dashboard: who may call it, what it reads and what it answers. The check of the input, the types of the
 * pages, the table of permissions and the check of every response in tests follow from it.
 */
export function defineRoute<
  const M extends 'get' | 'post',
  const P extends string,
  const A extends 'open' | 'session',
  const R extends Roles,
  D extends AnyShape,
  B extends AnyShape | undefined = undefined,
  Q extends AnyShape | undefined = undefined,
>(spec: DashboardSpec<M, P, A, R, B, Q, D>): DashboardRoute<M, P, Infer<D>, SentValue<B>, SentValue<Q>>;
export function defineRoute(
  spec: DashboardSpec<
    'get' | 'post',
    string,
    'open' | 'session',
    Roles,
    AnyShape | undefined,
    AnyShape | undefined,
    AnyShape
  >,
): DashboardRoute {
  const { method, path, summary, body, query, isLarge } = spec;
  const roles = spec.access === 'session' ? (spec.roles ?? []) : [];
  // Unknown clients send a log-in or the token of a link, which sets no limit.
  const unknown = roles.length === 0 ? 'dropped' : 'refused';
  const handle: Handler<OwnerCall> = async (call) => {
    await spec.admit?.(call);
    const input = query
      ? readQuery(query.joi, call)
      : body
        ? readBody(body.joi, call.body, unknown)
        : undefined;
    const typed = { ...call, input };
    if ('send' in spec) {
      return spec.send(typed);
    }
    if ('reply' in spec) {
      return spec.reply(typed);
    }
    return dataReply<unknown>((await spec.run(typed)) ?? {});
  };
  return {
    door: 'dashboard',
    method,
    path,
    roles,
    summary,
    ...(body && { reads: isLarge ? 'document' : 'json' }),
    ...('response' in spec && { response: enveloped(spec.response) }),
    handle,
  };
}

/** Part of the OpenAPI document that describes a route. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Path in the document, where its parameters have other names there. */
  readonly documentedPath?: string;
  /** Further words of JSON Schema about parameters of the path. */
  readonly params?: Readonly<Record<string, JsonSchema>>;
  readonly query?: keyof QuerySchemas;
  readonly headers?: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  /** Successful response; its schema is that of the route. */
  readonly answer?: {
    readonly description: string;
    readonly status?: 200 | 202 | 204;
    readonly examples?: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, JsonSchema>>;
    /** Further types of content. */
    readonly content?: JsonSchema;
  };
  /** Other responses than errors. */
  readonly responses?: Readonly<Record<string, JsonSchema>>;
  /** Statuses of its errors; absent: those of every route with a key. */
  readonly errors?: readonly number[];
}

/** Route of the API for programs; without an operation it is not in the document. */
export type ApiRoute = Route & { readonly operation?: Operation };

type ApiSpec<A> = Partial<Operation> & {
  readonly door: 'v1' | 'openai' | 'mcp' | 'service';
  readonly method: Route['method'];
  readonly path: string;
  readonly access: A;
  readonly reads?: Route['body'];
  /** Data of its successful response, in the envelope; of the facade the whole body. */
  readonly response?: AnyShape;
  readonly run: Handler<A extends 'key' ? KeyCall : Call>;
} & (A extends 'key' ? { readonly roles: readonly KeyScope[] } : { readonly roles?: never });

type AnyApiSpec = Partial<Operation> &
  Omit<ApiSpec<'key' | 'open'>, 'roles'> & { readonly roles?: readonly KeyScope[] };

/** Defines a route of the API for programs: scopes, reading of the body, response, its part of the OpenAPI document, and handler. */
export function defineApiRoute<const A extends 'key' | 'open'>(spec: ApiSpec<A>): ApiRoute {
  const {
    door,
    method,
    path,
    access,
    reads,
    response,
    run,
    roles,
    id,
    summary = '',
    ...operation
  } = spec as AnyApiSpec;
  return {
    method,
    path,
    ...(reads && { body: reads }),
    ...(response && { response: door === 'v1' || door === 'service' ? enveloped(response) : response }),
    ...(access === 'key'
      ? { access, scopes: roles ?? [], handle: run as Handler<KeyCall> }
      : { access: 'open', handle: run as Handler }),
    ...(id !== undefined && { operation: { id, summary, ...operation } }),
  };
}
