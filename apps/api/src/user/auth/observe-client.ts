import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '@image-gateway/shared/errors';

/** Database client for a library that hides why the database failed. */
export interface ObservedClient<C> {
  readonly client: C;
  /** Runs a function of that library; throws the AppError that the client threw meanwhile, whatever the library returned. */
  readonly rethrowDatabaseErrors: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Observes the models of a client: an overloaded database must not look like a wrong password or an internal error. */
export function observeClient<C extends object>(client: C): ObservedClient<C> {
  const works = new AsyncLocalStorage<{ fault?: AppError }>();
  const watch = (method: (...args: unknown[]) => Promise<unknown>) =>
    async function (this: unknown, ...args: unknown[]): Promise<unknown> {
      try {
        return await method.apply(this, args);
      } catch (error) {
        const work = works.getStore();
        if (work && error instanceof AppError) {
          work.fault ??= error;
        }
        throw error;
      }
    };
  return {
    // The models are the client's objects, their operations the functions of those.
    client: mapProperties(client, (model) =>
      isObject(model)
        ? mapProperties(model, (method) => (typeof method === 'function' ? watch(method as never) : method))
        : model,
    ),
    rethrowDatabaseErrors: async (work) => {
      const own: { fault?: AppError } = {};
      try {
        const result = await works.run(own, work);
        if (own.fault) {
          throw own.fault;
        }
        return result;
      } catch (error) {
        throw own.fault ?? error;
      }
    },
  };
}

function mapProperties<T extends object>(target: T, change: (value: unknown) => unknown): T {
  return new Proxy(target, { get: (own, name) => change(Reflect.get(own, name)) });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
