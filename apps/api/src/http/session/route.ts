import type { DashboardApi, Envelope } from '@image-gateway/shared/contract';
import type { ObjectSchema } from 'joi';
import type { SessionUser } from '../../user/find-session-user.js';
import type { Call, Handler } from '../framework/call.js';
import { readQuery } from '../query.js';
import { dataReply } from './data-reply.js';
import { readBody } from './read-body.js';

/** Request with a session. */
export interface UserCall extends Call {
  readonly user: SessionUser;
}

/** Request of the owner of an active account. */
export interface OwnerCall extends UserCall {
  readonly accountId: string;
}

type RouteName = keyof DashboardApi;
type Data<R extends RouteName> = DashboardApi[R]['data'];
type Typed<C extends Call, R extends RouteName> = Handler<C, Envelope<Data<R>>>;

/** Route of the dashboard. Every change is a POST. */
export type DashboardRoute = {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Present when a JSON body is read; a `document` may be as large as one of the catalog. */
  readonly body?: 'json' | 'document';
} & (
  | { readonly access: 'open'; readonly handle: Handler<Call> }
  | { readonly access: 'user' | 'operator'; readonly handle: Handler<UserCall> }
  | { readonly access: 'owner'; readonly handle: Handler<OwnerCall> }
);

/** Input of a route: a body exactly where `DashboardApi` names one; `json` and `document` leave its check to the handler. */
type Reads<R extends RouteName, I> = DashboardApi[R] extends { readonly body: unknown }
  ? { readonly body: ObjectSchema<I> | 'json' | 'document'; readonly query?: never }
  : { readonly body?: never; readonly query?: ObjectSchema<I> };

/** Result of a route: nothing where `DashboardApi` names no data. */
type Result<R extends RouteName> = [Data<R>] extends [Readonly<Record<string, never>>]
  ? Promise<void>
  : Promise<Data<R>>;

/** Input of a route and its handler. */
type Spec<R extends RouteName, C extends Call, I> = Reads<R, I> & {
  /** Refuses a request before its input is checked. */
  readonly admit?: (call: C) => Promise<void>;
} & (
    | { readonly run: (call: C & { readonly input: I }) => Result<R> }
    /** A route that sets more of its reply than the data. */
    | { readonly reply: (call: C & { readonly input: I }) => ReturnType<Typed<C, R>> }
  );

/** Prefix of the paths of all routes. */
export const DASHBOARD_API = '/dashboard/api';

const createBuilder =
  <A extends DashboardRoute['access'], C extends Call>(access: A) =>
  <R extends RouteName, I>(name: R, spec: Spec<R, C, I>) => ({
    ...place(name, spec.body),
    access,
    // Strangers send a log-in or the token of a link, which sets no limit.
    handle: createHandler(spec, access === 'open' ? 'dropped' : 'refused'),
  });

/** Route that needs no session. */
export const open = createBuilder<'open', Call>('open');
/** Route for users with a session. */
export const user = createBuilder<'user', UserCall>('user');
/** Route for owners of an account. */
export const owner = createBuilder<'owner', OwnerCall>('owner');
/** Route for operators. */
export const operator = createBuilder<'operator', UserCall>('operator');

function place(name: RouteName, body: unknown) {
  const [method, path = ''] = name.split(' ');
  return {
    method: method as 'get' | 'post',
    path: `${DASHBOARD_API}${path}`,
    ...(body !== undefined && { body: body === 'document' ? ('document' as const) : ('json' as const) }),
  };
}

function createHandler<R extends RouteName, C extends Call, I>(
  spec: Spec<R, C, I>,
  unknown: 'refused' | 'dropped',
): Handler<C> {
  return async (call) => {
    await spec.admit?.(call);
    const typed = { ...call, input: readInput(spec, call, unknown) as I };
    if ('reply' in spec) {
      return spec.reply(typed);
    }
    const data = await spec.run(typed);
    return dataReply<unknown>(data === undefined ? {} : data);
  };
}

function readInput<I>(
  {
    body,
    query,
  }: { readonly body?: ObjectSchema<I> | 'json' | 'document'; readonly query?: ObjectSchema<I> },
  call: Call,
  unknown: 'refused' | 'dropped',
): I | undefined {
  if (query) {
    return readQuery(query, call);
  }
  return body === undefined || typeof body === 'string' ? undefined : readBody(body, call.body, unknown);
}
