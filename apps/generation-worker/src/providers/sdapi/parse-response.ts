import Joi from 'joi';
import type { JobImages } from '../deliver-images.js';
import { ANY, COUNT, list, loose, needed, readLoosely, readShape, TEXT } from '../http/read-shape.js';

// `info` is JSON in a text.
const imagesSchema = needed({
  images: Joi.array<readonly string[]>().items(Joi.string()).required(),
  info: TEXT,
});
const infoSchema = loose({ all_seeds: list(ANY), index_of_first_image: COUNT });

/** Parses a response with status 200: images as base64, in order, and their seeds. Throws `bad-response` for another shape. */
export function parseResponse(value: unknown): Omit<JobImages, 'json'> {
  const { images, info } = readShape(imagesSchema, value, { upstream: 'the web UI' });
  const { all_seeds: seeds, index_of_first_image: first } = readLoosely(infoSchema, parseInfo(info));
  return { urls: images.slice(first), said: seeds.map((seed) => ({ seed })) };
}

/** Parses the facts about the images; a broken text of facts costs no image. */
function parseInfo(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
