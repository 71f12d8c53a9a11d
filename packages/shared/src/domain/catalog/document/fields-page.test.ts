import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Capabilities } from '../../upstreams/index.js';
import type { CatalogRoute } from './catalog.js';
import { readBuiltInCatalog } from './index.js';

const PAGE = new URL('../../../../../../docs/providers/fields.md', import.meta.url);
const MARK = '<!-- generated -->';

/** Fields by their names in requests, with what becomes of each where a route does not take it. */
const FIELDS: readonly (readonly [string, keyof Capabilities, string])[] = [
  ['`quality`', 'quality', 'refused'],
  ['`seed`', 'seed', 'refused'],
  ['`output_format`', 'outputFormat', 'refused'],
  ['`background`', 'background', 'refused'],
  ['`mask`', 'mask', 'refused'],
  ['`negative_prompt`', 'negativePrompt', 'in the prompt'],
  ['`output_compression`', 'outputCompression', 'reported'],
  ['`moderation`', 'moderation', 'reported'],
  ['`input_fidelity`', 'inputFidelity', 'reported'],
  ['`style`', 'style', 'reported'],
];

function describeField(
  { accepts, options }: CatalogRoute,
  name: keyof Capabilities,
  otherwise: string,
): string {
  const value = accepts[name];
  if (name === 'background') {
    return accepts.background.includes('transparent') ? 'sent' : '`opaque` only';
  }
  if (name === 'seed') {
    return value === null ? otherwise : `sent, up to ${String(value)}`;
  }
  if (Array.isArray(value)) {
    const isFixed = Object.hasOwn(options, name) && value.length === 1;
    const list = value.map((one) => `\`${String(one)}\``).join(', ');
    return value.length === 0 ? otherwise : isFixed ? `always ${list}` : `sent: ${list}`;
  }
  return value === true ? 'sent' : otherwise;
}

function buildTable(): string {
  const routes = [...readBuiltInCatalog().models.values()].flatMap((model) =>
    model.routes.map((route) => [model.id, route] as const),
  );
  const lines = routes.map(([model, route]) =>
    [
      `\`${model}\``,
      route.provider,
      `\`${route.model}\``,
      ...FIELDS.map(([, name, otherwise]) => describeField(route, name, otherwise)),
    ].join(' | '),
  );
  const head = ['Model', 'Provider', 'Upstream model', ...FIELDS.map(([title]) => title)];
  return [head.join(' | '), head.map(() => '---').join(' | '), ...lines]
    .map((line) => `| ${line} |`)
    .join('\n');
}

test('the page of fields says of each built-in route what becomes of each field', () => {
  const [text = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  const generated = `${text}${MARK}\n\n${buildTable()}\n`;
  if (process.env.RECORD_SCHEMA) {
    writeFileSync(PAGE, generated);
  }
  expect(readFileSync(PAGE, 'utf8')).toBe(generated);
});
