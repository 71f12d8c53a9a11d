import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator } from 'playwright-core';
import type { Visitor } from './open-visitor.js';

/** Lists the faults of a page, a line each. */
export type Faults = readonly string[];

/** Tells if an element of the page has the focus; otherwise a keyboard starts anew at its top. */
export function hasFocus({ page }: Visitor): Promise<boolean> {
  return page.evaluate<boolean>(
    'document.activeElement !== null && document.activeElement !== document.body',
  );
}

/** Activates the button that a locator finds by keyboard. */
export async function pressButton(button: Locator): Promise<void> {
  await button.focus();
  await button.press('Enter');
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];
/** Rules that judge colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

interface Seen {
  readonly headings: number;
  readonly title: string;
  readonly sideways: number;
  readonly links: readonly { readonly href: string; readonly isInView: boolean }[];
}

// Texts, since these run in the page, whose types the tests do not know.
const LOOK = `({
  headings: document.querySelectorAll('h1').length,
  title: document.title,
  sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  links: [...document.querySelectorAll('nav[aria-label=Main] a')].map((link) => {
    // On a phone a closed menu has the links: its button stands for them.
    const shown = link.checkVisibility() ? link : document.querySelector('[aria-controls=menu]') ?? link;
    const { width, right } = shown.getBoundingClientRect();
    return { href: link.getAttribute('href') ?? '', isInView: width > 0 && right <= innerWidth };
  }),
})`;

// Colours on their way from light to dark are nobody's to read. An element that inherits such a colour begins a transition of its own when
// its parent's ends, so this looks again until none is left.
const STILL = `(async () => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const moving = () => document.getAnimations().filter((one) => one instanceof CSSTransition);
  await drawn();
  for (let left = moving(); left.length > 0; left = moving()) {
    await Promise.allSettled(left.map(({ finished }) => finished));
    await drawn();
  }
})()`;

/**
 * Looks at the page that is open: one heading, a title, real links that lead on, no sideways scrolling, nothing that axe finds. A page
 * of which only the colours have changed since is judged by the rules for colours.
 */
export async function checkPage(
  { page }: Visitor,
  { onlyColours = false }: { readonly onlyColours?: boolean } = {},
): Promise<Faults> {
  await page.evaluate(STILL);
  const seen = await page.evaluate<Seen>(LOOK);
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    await page.evaluate(axe);
  }
  const rules = onlyColours ? { type: 'rule', values: COLOUR_RULES } : ALL_RULES;
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then((result) => result.violations)`,
  );
  return [
    ...(seen.headings === 1 ? [] : [`${seen.headings} headings of the first level`]),
    ...(/\S · image-gateway$/.test(seen.title) ? [] : [`the title "${seen.title}"`]),
    ...(seen.sideways <= 0 ? [] : [`${seen.sideways} pixels of sideways scrolling`]),
    ...seen.links
      .filter(({ href, isInView }) => !href.startsWith('/dashboard') || !isInView)
      .map(({ href }) => `the link to ${href} cannot be reached`),
    ...violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`,
    ),
  ];
}
