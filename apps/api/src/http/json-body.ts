import { isUtf8 } from 'node:buffer';
import { LIMITS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import express, { type RequestHandler } from 'express';

/** Reads a JSON body of at most 64 KiB; every fault of it ends in `BAD_REQUEST`. What JSON it is, is for the schema to judge. */
export function jsonBody(): RequestHandler {
  const parse = express.json({
    limit: LIMITS.bodyBytes,
    strict: false,
    verify: (_request, _response, body, charset) => {
      if (body.length === 0) throw fault('entity.empty');
      if ((charset === 'utf-8' || charset === 'utf8') && !isUtf8(body)) throw fault('charset.invalid');
    },
  });
  return (request, response, next) => {
    if (request.headers['content-type'] !== 'application/json' && !request.is('application/json')) {
      next(
        new AppError('BAD_REQUEST', {
          publicMessage: 'Send a JSON body with the header Content-Type: application/json.',
        }),
      );
      return;
    }
    parse(request, response, next);
  };
}

function fault(type: string): Error {
  return Object.assign(new Error(type), { status: 400, type });
}
