import type http from 'node:http';
import { callHttp } from '../../faults/load/http-client.js';
import { type Client, createClient } from './client.js';
import { createOpenApi } from './openapi.js';
import { type Account, newAccount } from './product/accounts.js';
import { expectInvariantsAtRest, expectLiveInvariants } from './product/invariants.js';
import type { Product } from './product/product.js';
import { sharedProduct } from './product/shared-product.js';

/** A customer of the gateway: an account and a client with its key. */
export interface Customer extends Account {
  client: Client;
}

/** One test file's view of a product: its customers, and the audit at the end. */
export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Opens a scene on a product that runs. */
export async function openScene(product: Product) {
  const answer = await callHttp({ url: `${product.url}/v1/openapi.json` });
  const openapi = createOpenApi(JSON.parse(answer.body.toString()) as Record<string, unknown>);
  const accountIds: string[] = [];
  /** A caller with this key, or with none, seen by the gateway as coming from `ip` where it trusts the proxy. */
  const caller = (key: string | null, ip?: string) => {
    const headers: http.OutgoingHttpHeaders = ip === undefined ? {} : { 'x-forwarded-for': ip };
    return createClient({ url: product.url, key, headers, openapi });
  };
  return {
    product,
    openapi,
    caller,
    /** A new account with this balance in dollars (`10.00` unless told; `'0'` for none). */
    async customer(balance?: string): Promise<Customer> {
      const account = await newAccount(product, balance);
      accountIds.push(account.id);
      return { ...account, client: caller(account.key) };
    },
    /** Throws unless every live invariant holds, and all invariants once this file's customers have no pending task. */
    async audit() {
      await expectLiveInvariants(product);
      await expectInvariantsAtRest(product, accountIds);
    },
  };
}

/** Opens a scene on the gateway that plain test files share. */
export async function openSharedScene(): Promise<Scene> {
  return openScene(await sharedProduct());
}
