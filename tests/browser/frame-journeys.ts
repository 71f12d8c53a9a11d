import { expect } from '@jest/globals';
import { checkPage } from './check-page.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Goes through the menu of a phone by keyboard: opens it, closes it, and follows one of its links. */
export async function useMenu(scene: BrowserScene, { page, ...owner }: Visitor): Promise<void> {
  await page.setViewportSize(PHONE);
  await owner.open('/billing');
  const menu = page.getByRole('button', { name: 'Menu' });
  const nav = page.getByRole('navigation', { name: 'Main' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await nav.getByRole('link', { name: 'Settings' }).waitFor();
  expect(await menu.getAttribute('aria-expanded')).toBe('true');
  expect(await checkPage({ page, ...owner })).toEqual([]);
  await scene.screenshot({ page, ...owner }, 'menu-phone');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await nav.waitFor({ state: 'hidden' });
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Menu');
  await page.keyboard.press('Enter');
  await nav.getByRole('link', { name: 'Keys' }).press('Enter');
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  await nav.waitFor({ state: 'hidden' });
  await page.setViewportSize(DESK);
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Reads the time of a task in the zone of the browser, then in UTC, which is kept. */
export async function chooseZone({ page, ...visitor }: Visitor, taskId: string): Promise<void> {
  await visitor.open(`/tasks/${taskId}`);
  const accepted = page.getByRole('listitem').filter({ hasText: 'Accepted' }).locator('time');
  expect(await accepted.textContent()).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d:\d\d P[DS]T$/);
  expect(await accepted.getAttribute('title')).toMatch(/P[DS]T \(.* UTC\)$/);
  await page.getByLabel('Times are in').selectOption('UTC');
  expect(await accepted.textContent()).toMatch(/ \d\d:\d\d:\d\d UTC$/);
  await page.reload();
  expect(await accepted.textContent()).toMatch(/ \d\d:\d\d:\d\d UTC$/);
  expect(visitor.problems.splice(0)).toEqual([]);
}

/** Reads the chart of usage by keyboard and by pointer. */
export async function readChart({ page, ...owner }: Visitor): Promise<void> {
  await owner.open('');
  await page.getByRole('img', { name: /^Spend of the last 30 days: \$0\.02 in all, most on / }).waitFor();
  await owner.open('/usage');
  const chart = page.getByRole('application', { name: /^Cost per day from .* \$0\.02 in all/ });
  const reading = page.locator('.recharts-tooltip-wrapper');
  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  for (let day = 1; day < 40; day++) {
    await page.keyboard.press('ArrowRight');
  }
  const shown = reading.filter({ hasText: /^[A-Z][a-z]{2} \d{1,2}, \d{4}.*\$0\.02$/ });
  await shown.waitFor();
  await chart.blur();
  await shown.waitFor({ state: 'hidden' });
  const width = (await chart.boundingBox())?.width ?? 0;
  await chart.hover({ position: { x: width - 12, y: 60 } });
  await shown.waitFor();
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Loses the network, is told so on a page that was not loaded yet too, and goes on when it is back. */
export async function goOffline(scene: BrowserScene, { page, ...owner }: Visitor): Promise<void> {
  await owner.open('');
  await page.context().setOffline(true);
  await page.getByText(/^You are offline\. What you see may be old/).waitFor();
  await page.getByText('Spend per day').waitFor();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.first().waitFor();
  await page.getByText('You are offline. Check your connection and try again.').first().waitFor();
  expect(await page.evaluate<string>('document.body.textContent')).not.toContain('Loading…');
  await scene.screenshot({ page, ...owner }, 'offline');
  await page.context().setOffline(false);
  await retry.first().click();
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  await page.getByText(/^You are offline/).waitFor({ state: 'detached' });
  // The browser itself writes lost requests down.
  expect(
    owner.problems.splice(0).filter((one) => !/ERR_INTERNET_DISCONNECTED|You are offline/.test(one)),
  ).toEqual([]);
}

/** Sees name and placeholder of the page while its first script is still under way. */
export async function seeShell({ page }: Visitor): Promise<void> {
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.reload({ waitUntil: 'commit' });
  await page.getByText('image-gateway', { exact: true }).waitFor();
  await page.getByText('Loading…').waitFor();
  await page.unroute('**/assets/*.js');
}
