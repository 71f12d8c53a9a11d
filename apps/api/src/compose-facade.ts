import { createSemaphore } from '@image-gateway/shared/concurrency';
import type { Database } from '@image-gateway/shared/db';
import type { Shutdown } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { ApiSettings } from './env.js';
import type { ApiRoute } from './http/define-route.js';
import type { ErrorFormat } from './http/framework/error-handler.js';
import { createAnswerClaims } from './openai/answers/claim-answer.js';
import type { ImageDeps } from './openai/draw-images.js';
import { createFacadeErrorReply } from './openai/errors/create-error-reply.js';
import { FACADE_PATH, facadeRoutes } from './openai/routes.js';
import { createRequestRegister } from './openai/undelivered/create-request-register.js';

/** Parts of the API beside `/v1`, such as the OpenAI-compatible facade. */
export interface Facade {
  readonly routes: readonly ApiRoute[];
  readonly keyPaths: readonly string[];
  readonly errorFormats: readonly ErrorFormat[];
}

/** Dependencies of the facade; it uses those of the handlers of `/v1`. */
export type FacadeParts = Omit<ImageDeps, 'claimAnswer' | 'maxWaitMs' | 'answerPlaces'> & {
  readonly db: Pick<Database, 'run'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly shutdown: Shutdown;
};

/** Longest wait in seconds: a usual proxy ends a silent connection after 60 s, Node's own client after 300 s. */
const MAX_WAIT = { behindProxy: 55, direct: 280 };

/** Answers with images that are written at a time. */
const ANSWER_PLACES = 32;

/** Wires the OpenAI-compatible facade; nothing when it is switched off. */
export function composeFacade(settings: ApiSettings, parts: FacadeParts): Facade {
  const { db, metrics, shutdown } = parts;
  if (!settings.OPENAI_FACADE) {
    return { routes: [], keyPaths: [], errorFormats: [] };
  }
  const isBehindProxy = settings.TRUST_PROXY !== false && settings.TRUST_PROXY !== 0;
  const maxWait = settings.FACADE_MAX_WAIT ?? (isBehindProxy ? MAX_WAIT.behindProxy : MAX_WAIT.direct);
  const claimAnswer = createAnswerClaims({
    db,
    register: createRequestRegister(parts),
    stopping: shutdown.signal,
    onEvent: (result) => metrics.facadeAnswers.inc({ result }),
  });
  const answerPlaces = createSemaphore({ permits: ANSWER_PLACES, leavesRoom: 1 });
  return {
    routes: facadeRoutes({ ...parts, answerPlaces, claimAnswer, maxWaitMs: maxWait * 1_000 }),
    keyPaths: [FACADE_PATH],
    errorFormats: [{ below: `${FACADE_PATH}/`, createReply: createFacadeErrorReply }],
  };
}
