import { AppError } from '@image-gateway/shared/errors';

/** Where OpenAI's protocol is spoken. */
const FACADE = '/openai/v1';
/** Paths of OpenAI's API, as clients have them whose base URL is not the facade's. */
const OF_OPENAI =
  /^(?:\/(?:openai|api|v1))*\/(?:images|chat|completions|responses|embeddings|audio|moderations|assistants|threads|edits)(?:\/|$)/;

/** Creates the errors of paths that lead nowhere. Those of OpenAI's API say where that is spoken, and what of it. */
export function createNotFound({
  baseUrl,
  hasFacade,
}: {
  readonly baseUrl: string;
  readonly hasFacade: boolean;
}): (path: string) => AppError {
  const facade = `${baseUrl}${FACADE}`;
  return (path) => {
    if (!hasFacade || !OF_OPENAI.test(path)) {
      return new AppError('NOT_FOUND');
    }
    const publicMessage =
      path.startsWith(`${FACADE}/`) && !path.startsWith(`${FACADE}/v1/`)
        ? `This gateway serves images only: POST ${FACADE}/images/generations, POST ${FACADE}/images/edits (each also with ` +
          `/async), POST ${FACADE}/images/tasks, GET ${FACADE}/images/tasks/{id} and GET ${FACADE}/models.`
        : `OpenAI's protocol for images is spoken below ${facade}: set that as the base URL of the client, which then sends POST ` +
          `${FACADE}/images/generations.`;
    return new AppError('NOT_FOUND', { publicMessage });
  };
}
