import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@image-gateway/shared/errors';
import type { QueueBoard } from '@image-gateway/shared/queues';
import type { Handler } from '../../http/framework/call.js';
import type { UserCall } from '../route.js';
import { createFileReply } from '../static/file-reply.js';
import { loadPages } from '../static/load-pages.js';
import { securityHeaders } from '../static/security-headers.js';
import { boardPage } from './board-page.js';

/** Where the board stands. */
const BASE = '/dashboard/board/';
/** The one style that the board's scripts write into the page: how a list hides its scroll bar. */
const OWN_STYLE = "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='";

/** `GET /dashboard/board/…`: bull-board to look at; its page, its files and what the page asks. Files are read when the first operator comes. */
export function getBoard({ open }: { readonly open: () => Promise<QueueBoard> }): Handler<UserCall> {
  const security = securityHeaders({ style: OWN_STYLE, base: true });
  let files: ReturnType<typeof loadPages> | undefined;
  return async (call) => {
    // The rest of a path comes as the list of its parts.
    const asked: unknown = call.params.path;
    const name = Array.isArray(asked) ? asked.join('/') : '';
    const board = await open();
    if (name.startsWith('api/')) {
      const answer = await board.answer({ path: `/${name}`, query: call.query });
      if (!answer) throw new AppError('NOT_FOUND');
      return { status: answer.status, headers: { 'Cache-Control': 'no-store' }, json: answer.body };
    }
    if (name.startsWith('static/')) {
      files ??= loadPages(path.join(board.folder, 'static'));
      const file = (await files).get(name.slice('static/'.length));
      if (!file) throw new AppError('NOT_FOUND');
      return createFileReply(call, file, { ...security, 'Cache-Control': 'private, max-age=3600' });
    }
    const template = await readFile(path.join(board.folder, 'index.ejs'), 'utf8');
    const text = boardPage({ template, settings: board.settings, base: BASE });
    return { status: 200, headers: { ...security, 'Content-Type': 'text/html; charset=utf-8' }, text };
  };
}
