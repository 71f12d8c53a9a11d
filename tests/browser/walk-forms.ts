import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../acceptance/support/product/product.js';
import { type Faults, HAS_FOCUS } from './check-page.js';
import type { Visitor } from './open-visitor.js';

/** Button of a page; `key` tells it from the others, as far as they do different things. */
interface Seen {
  readonly key: string;
  readonly isSubmit: boolean;
}

const MAX_STEPS = 80;
const REFUSAL = { data: null, error: { code: 'SERVICE_UNAVAILABLE', message: 'refused by the test' } };
const LATE_REQUEST_MS = 2_000;

// Texts, since these run in the page, whose types the tests do not know.
const DRAWN = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';
const IS_LOST = `!(${HAS_FOCUS})`;

/**
 * Refuses every change in the page itself, after a look at the focus. With a route of Playwright the browser would load each script
 * anew for each page.
 */
const REFUSE = `(() => {
  const ask = globalThis.fetch;
  globalThis.walk = { sent: 0, running: 0, lost: 0 };
  globalThis.fetch = async (address, init) => {
    if ((init?.method ?? 'GET') === 'GET') {
      return ask(address, init);
    }
    walk.sent += 1;
    walk.running += 1;
    await ${DRAWN};
    walk.lost += Number(${IS_LOST});
    walk.running -= 1;
    return Response.json(${JSON.stringify(REFUSAL)}, { status: 503 });
  };
})()`;

/** Waits until no request runs and its answer is drawn, and tells what became of the focus. */
const CALM = `(async () => {
  do {
    await ${DRAWN};
  } while (walk.running > 0);
  await ${DRAWN};
})()`;
const PLACE = `(document.querySelector('[role=dialog]') ?? document.querySelector('main'))`;

/** Lists the buttons of the open dialog or, without one, of the page. Rows of a table have the same ones, whose first word is the same. */
const LIST = `(() => {
  const keys = new Map();
  for (const old of document.querySelectorAll('[data-walk]')) {
    delete old.dataset.walk;
  }
  for (const button of ${PLACE}.querySelectorAll('button')) {
    const label = (button.getAttribute('aria-label') ?? button.textContent).trim();
    const part = button.closest('section');
    const heading = part?.getAttribute('aria-label') ?? part?.querySelector('h2, h3')?.textContent ?? '';
    const isInRow = button.closest('table') !== null;
    const place = isInRow ? heading + ' table' : heading;
    const name = isInRow ? label.split(' ')[0] : label;
    const isShown = button.offsetParent !== null || getComputedStyle(button).position === 'fixed';
    const isOff = button.disabled || button.ariaDisabled === 'true';
    const key = name + ' (' + place.trim() + ')';
    if (isShown && name !== 'Close' && name !== 'Cancel' && !(isOff && button.type !== 'submit') && !keys.has(key)) {
      keys.set(key, { key, isSubmit: button.type === 'submit' });
      button.dataset.walk = key;
    }
  }
  return [...keys.values()];
})()`;

/** Finds a value for each empty field of the form that a button submits, and one more for a form that asks for a change. */
const FILLINGS = `((key) => {
  const button = document.querySelector('[data-walk=' + CSS.escape(key) + ']');
  const byType = { email: 'someone@example.com', url: 'https://example.com/hook', password: 'correct horse 9', date: '2026-01-02' };
  const fields = [...button.form.querySelectorAll('input, textarea')].filter(
    ({ type, readOnly, offsetParent }) => !['checkbox', 'radio', 'file', 'range', 'hidden'].includes(type) && !readOnly && offsetParent,
  );
  const wanted = fields.filter(({ value, required }) => value === '' && required);
  const isOff = button.ariaDisabled === 'true' || button.disabled;
  const chosen = wanted.length > 0 || !isOff ? wanted : fields.slice(0, 1);
  return chosen.map((field) => {
    const trial = field.cloneNode();
    const values = [byType[field.type], field.min, '1', 'abc', '600/60', '12345', 'gen_abc'].filter(Boolean);
    const fits = (value) => { trial.value = value; return trial.checkValidity(); };
    field.dataset.fill = String(Math.random());
    return [field.dataset.fill, field.value === '' ? values.find(fits) ?? 'abc' : field.value + '1'];
  });
})`;

/** Lists the addresses of the pages of a role, as the router has them; `ids` stand in the place of `$id`. */
export function listPages(
  role: 'stranger' | 'owner' | 'operator',
  ids: Readonly<Record<string, string>> = {},
): string[] {
  const router = readFileSync(path.join(projectRoot, 'apps/dashboard/src/router.tsx'), 'utf8');
  const found = [...router.matchAll(/(?:\b(at|away)\(|path: )'(\/[^']*)'/g)];
  return found
    .filter(([, kind, address = '']) => {
      const isOperators = address.startsWith('/operator');
      return address === '/' || (kind === 'away' ? 'stranger' : isOperators ? 'operator' : 'owner') === role;
    })
    .map(([, , address = '']) =>
      address.replace(/^\/$/, '').replace(/(\/[^$]+)\/\$id/, (_, folder: string) => {
        const id = ids[folder];
        if (id === undefined) {
          throw new Error(`there is no id for the page ${address}`);
        }
        return `${folder}/${id}`;
      }),
    );
}

/**
 * Presses every button of a page by keyboard, and fills and sends every form, while the gateway refuses each change. Returns where
 * the focus was lost, and which forms were not sent. Of a dialog that another page opened too, as the set `walked` knows, only the
 * opening and closing are looked at.
 */
export async function walkForms(visitor: Visitor, address: string, walked: Set<string>): Promise<Faults> {
  const { page, open, settle } = visitor;
  const elsewhere = new Set(walked);
  const faults: string[] = [];
  let now = '';
  const check = async (when: string): Promise<void> => {
    if (await page.evaluate<boolean>(`${DRAWN}.then(() => ${IS_LOST})`)) {
      faults.push(`${now}: the focus is lost ${when}`);
    }
  };
  const countSent = () => page.evaluate<number>('walk.sent');
  const start = async (): Promise<void> => {
    await open(address);
    await page.evaluate(REFUSE);
  };
  const list = () => page.evaluate<Seen[]>(LIST);
  const find = (key: string) => page.locator(`[data-walk=${JSON.stringify(key)}]`).first();
  const isDialog = () => page.getByRole('dialog').count();
  const calm = async (): Promise<void> => {
    await page.evaluate(CALM);
    await settle();
  };
  const press = async ({ key, isSubmit }: Seen): Promise<void> => {
    now = key;
    await list();
    const before = await countSent();
    const from = page.url();
    if (isSubmit) {
      for (const [field, value] of await page.evaluate<[string, string][]>(
        `${FILLINGS}(${JSON.stringify(key)})`,
      )) {
        await page.locator(`[data-fill="${field}"]`).first().fill(value);
      }
    }
    await find(key).focus();
    await page.keyboard.press('Enter');
    await calm();
    const isUnsent = async () => page.url() === from && (await countSent()) === before;
    if (isSubmit && (await isDialog()) === dialogs && (await isUnsent())) {
      await page
        .waitForFunction(`walk.sent > ${before}`, undefined, { timeout: LATE_REQUEST_MS })
        .catch(() => null);
      await calm();
      if (await isUnsent()) {
        faults.push(`${key}: the form was not sent`);
      }
    }
    if (await page.evaluate<boolean>('walk.lost > 0 && (walk.lost = 0, true)')) {
      faults.push(`${key}: the focus is lost while the request is under way`);
    }
    await check('afterwards');
  };
  let dialogs = 0;
  const walkDialog = async (trigger: Seen): Promise<void> => {
    const done = new Set<string>();
    const left = async () => (await list()).find(({ key }) => !done.has(key));
    dialogs = 1;
    const buttons = JSON.stringify(await list());
    const isKnown = elsewhere.has(buttons);
    walked.add(buttons);
    for (
      let next = await left();
      next !== undefined && !isKnown && done.size < MAX_STEPS;
      next = await left()
    ) {
      done.add(next.key);
      await press(next);
      if (!(await isDialog())) {
        dialogs = 0;
        await list();
        if (!(await find(trigger.key).count())) {
          return;
        }
        await press(trigger);
        dialogs = 1;
        if (!(await isDialog())) {
          break;
        }
      }
    }
    dialogs = 0;
    now = trigger.key;
    if (await isDialog()) {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await check('after its dialog is closed');
    }
  };

  await start();
  const done = new Set<string>();
  const left = async () => (await list()).find(({ key }) => !done.has(key));
  for (let next = await left(); next !== undefined; next = await left()) {
    done.add(next.key);
    if (done.size > MAX_STEPS) {
      return [...faults, 'there is no end of buttons'];
    }
    const from = page.url();
    await press(next);
    if (await isDialog()) {
      await walkDialog(next);
    }
    if (page.url() !== from) {
      await start();
    }
  }
  return faults;
}
