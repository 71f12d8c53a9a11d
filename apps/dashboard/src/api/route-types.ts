import type { DashboardApi } from '../../../api/src/dashboard-routes.js';

type Method = 'get' | 'post';
type Route<M extends Method, P extends PathWith<M>> = DashboardApi[`${M} ${P}` & keyof DashboardApi];

/** Paths of the dashboard's API that have this method. */
export type PathWith<M extends Method> = {
  [R in keyof DashboardApi]: R extends `${M} ${infer P}` ? P : never;
}[keyof DashboardApi];

/** Payload of a response. */
export type Data<M extends Method, P extends PathWith<M>> = Route<M, P>['data'];

type ParamName<P extends string> = P extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamName<Tail>
    : Rest
  : never;

/** Values of the parameters of a path, such as `:id`. */
export type Params<P extends string> = [ParamName<P>] extends [never]
  ? { readonly params?: never }
  : { readonly params: Readonly<Record<ParamName<P>, string>> };

/** Query of a path. */
export type Query<P extends PathWith<'get'>> =
  Route<'get', P> extends { readonly query: infer Q } ? { readonly query?: Q } : { readonly query?: never };

/** Body of a path. */
export type Body<P extends PathWith<'post'>> =
  Route<'post', P> extends { readonly body: infer B } ? { readonly body: B } : { readonly body?: never };
