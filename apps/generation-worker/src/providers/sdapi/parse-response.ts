import Joi from 'joi';
import type { JobImages } from '../deliver-images.js';
import { readShape } from '../http/read-shape.js';

interface Images {
  readonly images: readonly string[];
  /** JSON in a text. */
  readonly info?: unknown;
}

interface Info {
  readonly all_seeds?: readonly number[];
  readonly index_of_first_image?: number;
}

const imagesSchema = Joi.object<Images>({
  images: Joi.array().items(Joi.string()).required(),
});
const infoSchema = Joi.object<Info>({
  all_seeds: Joi.array().items(Joi.number().integer()),
  index_of_first_image: Joi.number().integer().min(0),
});

/** Parses a response with status 200: images as base64, in order, and their seeds. Throws `bad-response` for another shape. */
export function parseResponse(value: unknown): Omit<JobImages, 'json'> {
  const { images, info } = readShape(imagesSchema, value, 'the web UI');
  const { all_seeds: seeds = [], index_of_first_image: first = 0 } = readInfo(info);
  return { urls: images.slice(first), said: seeds.map((seed) => ({ seed })) };
}

/** Reads the facts about the images; a broken text of facts costs no image. */
function readInfo(text: unknown): Info {
  try {
    const info: unknown = JSON.parse(String(text));
    return readShape(infoSchema, info, 'the web UI');
  } catch {
    return {};
  }
}
