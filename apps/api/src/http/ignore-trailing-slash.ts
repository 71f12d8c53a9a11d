import type { RequestHandler } from 'express';

/**
 * Takes one slash off the end of a path, so that `/v1/tasks/` is `/v1/tasks` for everything behind. Paths in `exact` keep
 * theirs, and so do those of the queue board, whose links are relative to its folder.
 */
export function ignoreTrailingSlash(exact: ReadonlySet<string>): RequestHandler {
  return (request, _response, next) => {
    const { path, url } = request;
    const isFolder = exact.has(path) || path.startsWith('/dashboard/board/');
    if (path.length > 1 && path.endsWith('/') && !path.endsWith('//') && !isFolder)
      request.url = path.slice(0, -1) + url.slice(path.length);
    next();
  };
}
