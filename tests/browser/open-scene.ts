import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { eventually } from '../acceptance/support/eventually.js';
import { type OwnProduct, projectRoot, startProduct } from '../acceptance/support/product/product.js';
import { fastSettings } from '../acceptance/support/product/settings.js';
import { launchBrowser } from './launch-browser.js';
import { openVisitor, type Visitor } from './open-visitor.js';

/** Tells if pages are looked at in every size and colour scheme. */
export const isEveryView = process.env.EVERY_VIEW === 'true';

/** A gateway with its dashboard, and a browser to look at it. */
export interface BrowserScene {
  readonly product: OwnProduct;
  /** Where the dashboard was said to be. */
  readonly dashboardUrl: string;
  /** Browser of one user, in a time zone such as `America/Los_Angeles`. */
  readonly visitor: (timezoneId?: string) => Promise<Visitor>;
  /** Keeps a screenshot of a page, where every view is looked at. */
  readonly screenshot: (visitor: Visitor, name: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts a gateway as `npm start` does, with further settings and arguments, and a browser. With EVERY_VIEW=true screenshots go to
 * `.cache/screenshots`.
 */
export async function openScene(
  executablePath: string,
  settings: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<BrowserScene> {
  const folder = path.join(projectRoot, '.cache/screenshots');
  mkdirSync(folder, { recursive: true });
  const product = await startProduct({
    settings: { ...fastSettings, ENABLED_MODELS: 'nanobanana,nanobanana-pro', ...settings },
    args,
  });
  let browser: Browser;
  let dashboardUrl: string;
  try {
    dashboardUrl = await eventually(() => printedAddress(product.log()));
    browser = await launchBrowser(executablePath);
  } catch (error) {
    await product.discard();
    throw error;
  }
  return {
    product,
    dashboardUrl,
    visitor: (timezoneId) => openVisitor(browser, dashboardUrl, timezoneId),
    screenshot: async ({ page }, name) => {
      if (!isEveryView) {
        return;
      }
      const size = page.viewportSize() ?? { width: 1280, height: 800 };
      // A window as high as the page: what sticks to the window's edges is where somebody would see it.
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      await page.setViewportSize({ ...size, height: Math.max(size.height, height) });
      await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
      await page.setViewportSize(size);
    },
    close: async () => {
      await browser.close();
      await product.discard();
    },
  };
}

/** The address of the dashboard as `npm start` prints it once everything answers; throws until it has. */
function printedAddress(log: string): string {
  const address = /^ +Dashboard +(\S+)$/m.exec(log)?.[1];
  if (address === undefined) {
    throw new Error('npm start has printed no address of the dashboard');
  }
  return address;
}
