/** The site in a real browser: no error in the console, nothing wider than a phone, and pictures for people to look at. */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const browserProgram = (): string | undefined => PROGRAMS.find((path) => existsSync(path));

/** One page of each kind. */
const SHOWN = [
  'index',
  'start/five-minutes',
  'connect/clients/claude-code',
  'operate/budgets',
  'reference/providers/groq',
  'reference/configuration',
  'understand/lanes',
];
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } } as const;
const SCHEMES = ['light', 'dark'] as const;
const MIN_FONT_PX = 12;
const WAIT_MS = 20_000;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

function serve(folder: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() });
    });
  });
}

type View = { readonly size: keyof typeof SIZES; readonly scheme: (typeof SCHEMES)[number] };

async function look(browser: Browser, url: string, path: string, { size, scheme }: View, pictures: string | undefined) {
  const problems: string[] = [];
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: scheme });
  const page = await context.newPage();
  const where = `${path} (${size}, ${scheme})`;
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${where}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${where}: ${error.message}`));
  await page.goto(`${url}/${path}.html`, { waitUntil: 'networkidle', timeout: WAIT_MS });
  // As text: it runs in the page, whose names are not ours.
  const { overflow, small } = await page.evaluate<{ readonly overflow: number; readonly small: number }>(`({
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    small: [...document.querySelectorAll('main p, main li, main td')]
      .filter((one) => Number.parseFloat(getComputedStyle(one).fontSize) < ${MIN_FONT_PX}).length,
  })`);
  if (overflow > 0) problems.push(`${where}: ${overflow} px wider than the screen`);
  if (small > 0) problems.push(`${where}: ${small} texts below ${MIN_FONT_PX} px`);
  if (pictures !== undefined)
    await page.screenshot({ path: join(pictures, `${path.replaceAll('/', '-')}-${size}-${scheme}.png`) });
  await context.close();
  return problems;
}

/** The search box finds what it is asked for, as a reader would type it. */
async function typeIntoSearch(browser: Browser, url: string): Promise<readonly string[]> {
  const page = await browser.newPage({ viewport: SIZES.desktop });
  await page.goto(`${url}/index.html`, { waitUntil: 'networkidle', timeout: WAIT_MS });
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').fill('circuit breaker', { timeout: WAIT_MS });
  const first = page.locator('.VPLocalSearchBox .result').first();
  await first.waitFor({ timeout: WAIT_MS });
  const href = (await first.getAttribute('href')) ?? '';
  await page.close();
  return href.includes('failing-over') ? [] : [`search for "circuit breaker" leads to ${href} first`];
}

export async function lookAtSite(folder: string, program: string, pictures?: string): Promise<readonly string[]> {
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  const { url, close } = await serve(folder);
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  const problems: string[] = [];
  try {
    for (const path of SHOWN)
      for (const size of ['desktop', 'phone'] as const)
        for (const scheme of SCHEMES) problems.push(...(await look(browser, url, path, { size, scheme }, pictures)));
    problems.push(...(await typeIntoSearch(browser, url)));
  } finally {
    await browser.close();
    close();
  }
  return problems;
}
