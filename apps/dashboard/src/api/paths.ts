import type { DashboardPaths } from '@image-gateway/shared/contract';

type Method = 'get' | 'post';
type Operation<M extends Method, P extends PathWith<M>> = DashboardPaths[P][M];

/** Every path that the document of the dashboard's API describes with this method. */
export type PathWith<M extends Method> = {
  [P in keyof DashboardPaths]: DashboardPaths[P][M] extends object ? P : never;
}[keyof DashboardPaths];

/** What a path answers with, by the document. */
export type Data<M extends Method, P extends PathWith<M>> =
  Operation<M, P> extends { readonly responses: infer R }
    ? R[keyof R & (200 | 202)] extends {
        readonly content: { readonly 'application/json': { readonly data: infer D } };
      }
      ? D
      : never
    : never;

/** What stands in the braces of a path. */
export type Params<M extends Method, P extends PathWith<M>> =
  Operation<M, P> extends { readonly parameters: { readonly path: infer V } }
    ? { readonly params: V }
    : { readonly params?: never };

/** What may be asked of a path in the query. */
export type Query<P extends PathWith<'get'>> =
  Operation<'get', P> extends { readonly parameters: { readonly query?: infer Q } }
    ? { readonly query?: Q }
    : { readonly query?: never };

/** What a path takes as its body. */
export type Body<P extends PathWith<'post'>> =
  Operation<'post', P> extends {
    readonly requestBody: { readonly content: { readonly 'application/json': infer B } };
  }
    ? { readonly body: B }
    : { readonly body?: never };
