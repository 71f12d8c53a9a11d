import {
  BACKGROUNDS,
  type Background,
  OUTPUT_FORMATS,
  type OutputFormat,
  QUALITIES,
  type Quality,
} from '../../contract/index.js';
import {
  ACCEPTS_NOTHING,
  getProtocolFields,
  MAX_SEED,
  type Protocol,
  type RouteAccepts,
} from '../../upstreams/index.js';
import { BUILT_IN_ACCEPTS } from './built-in-accepts.js';
import type { CatalogRoute } from './catalog.js';
import type { AcceptsEntry, RouteEntry } from './catalog-document.js';

/**
 * Reads what a route takes: what the document says, else what is known of the upstream model, else the default of the
 * protocol. A task API has `byBody` instead of that default. An option that sets one of these fields fixes it.
 */
export function readAccepts(
  { model, accepts, options = {} }: RouteEntry,
  protocol: Protocol | undefined,
  byBody?: RouteAccepts,
): Pick<CatalogRoute, 'accepts' | 'defaultQuality'> {
  const fields = protocol && getProtocolFields(protocol);
  const entry = accepts ?? findBuiltIn(protocol, model);
  const taken = entry ? toAccepts(entry) : (byBody ?? fields?.accepts(options) ?? ACCEPTS_NOTHING);
  const fixed = fixFields(taken, options);
  const isFixed = Object.hasOwn(options, 'quality');
  return {
    accepts: fixed,
    defaultQuality: isFixed ? (fixed.quality[0] ?? null) : (fields?.defaultQuality ?? null),
  };
}

function findBuiltIn(protocol: Protocol | undefined, model: string): AcceptsEntry | undefined {
  const models = protocol && BUILT_IN_ACCEPTS[protocol];
  return models && Object.hasOwn(models, model) ? models[model] : undefined;
}

function toAccepts(entry: AcceptsEntry): RouteAccepts {
  const { seed = false } = entry;
  const max = seed === true ? MAX_SEED : seed;
  return {
    quality: entry.quality ?? [],
    seed: max === false ? null : max,
    outputFormat: entry.output_format ?? [],
    background: BACKGROUNDS.filter((one) => one === 'opaque' || entry.background?.includes(one)),
    mask: entry.mask ?? false,
    negativePrompt: entry.negative_prompt ?? false,
    outputCompression: entry.output_compression ?? false,
    moderation: entry.moderation ?? false,
    inputFidelity: entry.input_fidelity ?? false,
    style: entry.style ?? false,
  };
}

function fixFields(accepts: RouteAccepts, options: Readonly<Record<string, unknown>>): RouteAccepts {
  const has = (name: string): boolean => Object.hasOwn(options, name);
  const only = <T extends Quality | OutputFormat | Background>(name: string, values: readonly T[]): T[] =>
    values.filter((value) => value === (options[name] === 'jpg' ? 'jpeg' : options[name]));
  return {
    quality: has('quality') ? only('quality', QUALITIES) : accepts.quality,
    seed: has('seed') ? null : accepts.seed,
    outputFormat: has('output_format') ? only('output_format', OUTPUT_FORMATS) : accepts.outputFormat,
    background: has('background')
      ? [options.background === 'transparent' ? 'transparent' : 'opaque']
      : accepts.background,
    mask: accepts.mask && !has('mask'),
    negativePrompt: accepts.negativePrompt && !has('negative_prompt'),
    outputCompression: accepts.outputCompression && !has('output_compression'),
    moderation: accepts.moderation && !has('moderation'),
    inputFidelity: accepts.inputFidelity && !has('input_fidelity'),
    style: accepts.style && !has('style'),
  };
}
