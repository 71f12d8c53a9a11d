import type { Browser, Page } from 'playwright-core';

/** Browser of one user, and the errors that it reported. */
export interface Visitor {
  readonly page: Page;
  /** Errors and warnings of the console, errors of scripts, and requests to other hosts. */
  readonly problems: string[];
  /** Opens a page of the dashboard and waits until what it loads is there. */
  readonly open: (path: string) => Promise<void>;
  /** Waits until nothing is being loaded. */
  readonly settle: () => Promise<void>;
  readonly logIn: (who: { readonly email: string; readonly password: string }) => Promise<void>;
}

/** Opens a browser window of its own, with its own cookies, in which problems are written down. */
export async function openVisitor(
  browser: Browser,
  dashboardUrl: string,
  timezoneId?: string,
): Promise<Visitor> {
  const context = await browser.newContext({
    ...(timezoneId !== undefined && { timezoneId }),
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    acceptDownloads: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems: string[] = [];
  const { host } = new URL(dashboardUrl);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      problems.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^http/.test(url.protocol) && url.host !== host) {
      problems.push(`request to ${url.host}`);
    }
  });
  const settle = async (): Promise<void> => {
    await page.locator('h1').first().waitFor();
    await page.waitForFunction(isThere);
  };
  const open = async (path: string): Promise<void> => {
    await page.goto(`${dashboardUrl}${path}`);
    await settle();
  };
  return {
    page,
    problems,
    open,
    settle,
    logIn: async ({ email, password }) => {
      await open('');
      await page.fill('input[type=email]', email);
      await page.fill('input[type=password]', password);
      await page.click('button[type=submit]');
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      await settle();
    },
  };
}

/** Runs in the page, whose types the tests do not know. Tells if the page has loaded with every image. */
function isThere(): boolean {
  const { document } = globalThis as unknown as {
    document: { body: { textContent: string }; images: Iterable<{ complete: boolean }> };
  };
  return (
    !document.body.textContent.includes('Loading…') && [...document.images].every(({ complete }) => complete)
  );
}
