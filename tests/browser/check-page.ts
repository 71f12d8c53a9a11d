import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

/** Lists the faults of a page, a line each. */
export type Faults = readonly string[];

/** True in a page of which an element has the focus; otherwise a keyboard starts anew at its top. */
export const HAS_FOCUS = 'document.activeElement !== null && document.activeElement !== document.body';

/** Tells if an element of the page has the focus. */
export function hasFocus({ page }: Visitor): Promise<boolean> {
  return page.evaluate<boolean>(HAS_FOCUS);
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

/** Size of a window, and the colour schemes in which a page is looked at there. */
export interface View {
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly colours: readonly ('light' | 'dark')[];
}

/** Sizes of windows that are looked at, the first one that of a desk. */
export type Views = readonly [View, ...View[]];

/** Expects no fault of the page that is open, in windows of each size; screenshots get `name`. */
export async function expectSound(
  {
    scene,
    visitor,
    views,
  }: { readonly scene: BrowserScene; readonly visitor: Visitor; readonly views: Views },
  name: string,
): Promise<void> {
  for (const view of views) {
    await visitor.page.setViewportSize(view.size);
    for (const [index, colorScheme] of view.colours.entries()) {
      await visitor.page.emulateMedia({ colorScheme });
      const faults = await checkPage(visitor, { onlyColours: index > 0 });
      const seen = { name, view: view.name, colorScheme, faults };
      expect(seen).toEqual({ ...seen, faults: [] });
    }
    await scene.screenshot(visitor, `${name}-${view.name}`);
  }
}

/**
 * Looks at the page that is open: one heading, a title, real links that lead on, no sideways scrolling, nothing that axe finds. A page
 * of which only the colours have changed since is judged by the rules for colours. One of which only a part has changed is judged by axe
 * `within` a selector.
 */
export async function checkPage(
  { page }: Visitor,
  { onlyColours = false, within = '' }: { readonly onlyColours?: boolean; readonly within?: string } = {},
): Promise<Faults> {
  await page.evaluate(STILL);
  const seen = await page.evaluate<Seen>(LOOK);
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    await page.evaluate(axe);
  }
  const rules = onlyColours ? { type: 'rule', values: COLOUR_RULES } : ALL_RULES;
  // Details of what passed cost as much as the search for faults; no rule here needs the style sheets as texts.
  const options = { runOnly: rules, resultTypes: ['violations'], preload: false };
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(within)} || document, ${JSON.stringify(options)}).then((result) => result.violations)`,
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
