import { LIMITS } from '@image-gateway/shared/contract';
import Joi from 'joi';

/** Pages beyond this are refused; filters narrow a list down. */
const MAX_PAGE = 100_000;

/** The fields `page` and `per_page` of a query of the dashboard. */
export function pageFields() {
  return {
    page: Joi.number()
      .integer()
      .min(1)
      .max(MAX_PAGE)
      .default(1)
      .messages({ '*': 'page must be an integer of at least 1.' }),
    per_page: Joi.number()
      .integer()
      .min(1)
      .max(LIMITS.perPageMax)
      .default(LIMITS.perPageDefault)
      .messages({ '*': `per_page must be an integer from 1 to ${LIMITS.perPageMax}.` }),
  };
}
