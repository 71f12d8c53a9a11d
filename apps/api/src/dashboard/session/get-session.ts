import type { DashboardSession } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import type { Offers } from '../../handlers/create-offers.js';
import type { ListProviders } from '../../operations/catalog/page/list-providers.js';
import { listSandboxModels } from '../../operations/provider/list-sandbox-models.js';
import { findSessionUser } from '../../operations/user/find-session-user.js';
import type { Auth } from '../auth/create-auth.js';
import { getSessionClient } from '../auth/get-session-client.js';
import { dataReply } from '../data-reply.js';
import type { OpenHandler } from '../route.js';

/** Dependencies of the handler. */
export interface SessionDeps {
  readonly auth: Auth;
  readonly db: Database;
  readonly allowSignup: boolean;
  readonly baseUrl: string;
  readonly fileUrl: string;
  readonly listProviders: ListProviders;
  readonly offers: Pick<Offers, 'describe'>;
}

/** `GET /dashboard/api/session`: the user of the session; null, not an error, without one. */
export function getSession({
  auth,
  db,
  allowSignup,
  baseUrl,
  fileUrl,
  listProviders,
  offers,
}: SessionDeps): OpenHandler<'get /session'> {
  const findSandbox = async (): Promise<DashboardSession['sandbox']> => {
    const { models: offered, instances } = await offers.describe();
    const models = listSandboxModels(offered, instances, listProviders({ instances }));
    return models.length === 0 ? null : { models, draws_all: models.length === offered.length };
  };
  return async (call) => {
    const { cookies, session } = await auth.find(getSessionClient(call));
    const user = session && (await findSessionUser(db, session));
    const data: DashboardSession = {
      user: user && { id: user.userId, email: user.email, role: user.role },
      account: user?.account ? { id: user.account.id, status: user.account.status } : null,
      allow_signup: allowSignup,
      base_url: baseUrl,
      file_url: fileUrl,
      sandbox: user ? await findSandbox() : null,
    };
    return dataReply(data, cookies.length > 0 ? { 'Set-Cookie': cookies } : {});
  };
}
