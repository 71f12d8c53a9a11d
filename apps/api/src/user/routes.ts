import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { integer, list, nothing, object } from '@image-gateway/shared/schema';
import {
  changePasswordBody,
  credentialsBody,
  type DashboardSession,
  dashboardSession,
  sessionItem,
} from '@image-gateway/shared/user/schema';
import { signUp } from '../account/sign-up.js';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, users, visitors } from '../http/define-route.js';
import { dataReply } from '../http/session/data-reply.js';
import { listSandboxModels } from '../provider/list-sandbox-models.js';
import { getSessionClient } from './auth/get-session-client.js';
import { findSessionUser } from './find-session-user.js';
import { mailSignUp, requireSignUp } from './mail-routes.js';
import { checkPassword } from './passwords.js';
import { endOtherSessions, listSessions } from './sessions.js';

/** Longer than the work of a sign-up takes, whose duration would otherwise reveal whether an account was created. */
const MIN_SIGN_UP_MS = 400;

/** Routes of logging in and out, and of the sessions and the password of a user. */
export function sessionRoutes(deps: DashboardDeps) {
  const { auth, db, devices, limits } = deps;
  return [
    // The user is null, not an error, without a session.
    defineRoute({
      ...visitors,
      method: 'get',
      path: '/session',
      summary: 'Read the session and the settings of every page',
      response: dashboardSession,

      reply: async (call) => {
        const { cookies, session } = await auth.find(getSessionClient(call));
        const found = session && (await findSessionUser(db, session));
        const data: DashboardSession = {
          user: found && { id: found.userId, email: found.email, role: found.role },
          account: found?.account
            ? {
                id: found.account.id,
                status: found.account.status,
                suspension_reason: found.account.suspensionReason,
              }
            : null,
          allow_signup: deps.allowSignup,
          signup_credit:
            deps.signupCredit.amountMicros > 0n ? formatDollars(deps.signupCredit.amountMicros) : null,
          support_url: deps.supportUrl ?? null,
          top_up_url: deps.topUpUrl ?? null,
          sends_mail: deps.mail !== null,
          base_url: deps.baseUrl,
          file_url: deps.fileUrl,
          sandbox: found ? await findSandbox(deps) : null,
        };
        return dataReply(data, cookies.length > 0 ? { 'Set-Cookie': cookies } : {});
      },
    }),
    // Marks the browser as one of the user's. An unknown address and a wrong password get the same error.
    defineRoute({
      ...visitors,
      method: 'post',
      path: '/sign-in',
      summary: 'Log in',
      response: nothing,

      body: credentialsBody,
      reply: async (call) => {
        const { email, password } = call.input;
        const browser = getSessionClient(call);
        const attempt = { ip: call.ip, email, device: await devices.find(browser.cookie, email) };
        await limits.admit(attempt);
        const opened = await auth.signIn(browser, email, password);
        if (!opened) {
          await limits.countFailure(attempt);
          throw new AppError('UNAUTHORIZED', {
            publicMessage: 'The e-mail address or the password is wrong.',
          });
        }
        return dataReply({}, { 'Set-Cookie': [...opened.cookies, ...(await devices.issue(email))] });
      },
    }),
    // The response, and its time, are the same for an address that already has an account, which stays as it is. Opens no
    // session: the user logs in next. With mail the account is created when its address is confirmed.
    defineRoute({
      ...visitors,
      method: 'post',
      path: '/sign-up',
      summary: 'Sign up',
      response: nothing,

      admit: async () => requireSignUp(deps),
      body: credentialsBody,
      run: async ({ ip, input: { email, password } }) => {
        await limits.admit({ ip, email, device: null });
        if (deps.mail) {
          return mailSignUp(deps.mail, { ip, email, password });
        }
        const answerTime = delay(MIN_SIGN_UP_MS);
        await signUp(db, deps.signupCredit, { email, password, ip });
        await answerTime;
      },
    }),
    defineRoute({
      ...visitors,
      method: 'post',
      path: '/sign-out',
      summary: 'Log out',
      response: nothing,

      reply: async (call) => {
        const { cookies } = await auth.signOut(getSessionClient(call));
        return dataReply({}, { 'Set-Cookie': cookies });
      },
    }),
    // Ends all other sessions of the user.
    defineRoute({
      ...users,
      method: 'post',
      path: '/password',
      summary: 'Change the own password',
      response: nothing,

      body: changePasswordBody,
      reply: async (call) => {
        const { next } = call.input;
        checkPassword(next);
        const { userId, sessionId, email } = call.user;
        // A session is as good as a browser in which the user has logged in before.
        const attempt = { ip: call.ip, email, device: { userId, id: sessionId } };
        await limits.admit(attempt);
        const changed = await auth.changePassword(getSessionClient(call), call.user, call.input);
        if (!changed) {
          await limits.countFailure(attempt);
          throw new AppError('VALIDATION_ERROR', { publicMessage: 'The current password is wrong.' });
        }
        return dataReply({}, { 'Set-Cookie': [...changed.cookies, ...(await devices.issue(email))] });
      },
    }),
    defineRoute({
      ...users,
      method: 'get',
      path: '/sessions',
      summary: 'List the own sessions',
      response: list(sessionItem),
      run: (call) => listSessions(db, call.user),
    }),
    defineRoute({
      ...users,
      method: 'post',
      path: '/sessions/end-others',
      summary: 'End all other own sessions',
      response: object({ ended: integer() }),
      run: (call) => endOtherSessions(db, { ...call.user, ip: call.ip }),
    }),
  ];
}

async function findSandbox({
  offers,
  listProviders,
}: Pick<DashboardDeps, 'offers' | 'listProviders'>): Promise<DashboardSession['sandbox']> {
  const { models: offered, instances } = await offers.describe();
  const models = listSandboxModels(offered, { instances }, listProviders({ instances }));
  return models.length === 0 ? null : { models, draws_all: models.length === offered.length };
}
