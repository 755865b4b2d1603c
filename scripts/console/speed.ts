/**
 * `npm run console:speed [-- --records 10000000]`: how fast the console is with many records, on a quiet machine. A gateway on a database filled by SQL, chromium
 * with a warm cache, and load while the live list is open. Times are of this machine; the last line is JSON with `ok`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { ask, chatQuestion, keepingAgent } from '../../tests/rt/parts/ask.ts';
import { type GatewayProcess, OPERATOR_SECRET } from '../../tests/rt/parts/gateway-process.ts';
import { MODEL } from '../../tests/rt/parts/hosts.ts';
import { openPage, signInWithSecret, WIDTHS } from './browser.ts';
import { openFilledStage } from './filled-stage.ts';

const TRIES = 10;
const LIVE_PER_SECOND = 500;
const LIVE_SECONDS = 20;
const TICK_MS = 20;
/** Limits in ms; beyond one of them `ok` is false. */
const FIRST_VIEW_MS = 1000;
const LONG_TASK_MS = 50;

const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } });

/** Each page, and the text it shows once it can be used. */
const PAGES = {
  requests: { path: '/requests?range=30d', isUsable: '[role=rowgroup] [role=row]' },
  overview: { path: '/overview', isUsable: 'canvas' },
  usage: { path: '/usage', isUsable: 'canvas' },
} as const;

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** Looks at every frame; a locator looks every half second in the end. */
const whenShown = (selector: string): string => `new Promise((resolve) => {
  const look = () => document.querySelector('${selector}')?.checkVisibility() ? resolve() : requestAnimationFrame(look);
  look();
})`;

/** From the address to what can be used, the cache warm, as after the first visit. */
async function timesOf(page: Page, adminUrl: string, { path, isUsable }: { path: string; isUsable: string }) {
  const times: number[] = [];
  for (let time = 0; time <= TRIES; time++) {
    await page.goto('about:blank');
    const startedAtMs = performance.now();
    await page.goto(`${adminUrl}/console${path}`, { waitUntil: 'commit' });
    await page.evaluate(whenShown(isUsable));
    times.push(performance.now() - startedAtMs);
  }
  // The first one warms.
  return Math.round(median(times.slice(1)));
}

async function load(gateway: GatewayProcess): Promise<number> {
  const agent = keepingAgent();
  const question = { ...chatQuestion(gateway.url, MODEL), agent };
  const running: Promise<unknown>[] = [];
  const startedAtMs = performance.now();
  for (let sent = 0; sent < LIVE_PER_SECOND * LIVE_SECONDS; ) {
    const due = ((performance.now() - startedAtMs) / 1000) * LIVE_PER_SECOND;
    for (; sent < due; sent++) running.push(ask(question));
    await sleep(TICK_MS);
  }
  await Promise.all(running);
  agent.destroy();
  return running.length / ((performance.now() - startedAtMs) / 1000);
}

/** Collected in the page: when each frame came, and every task that kept it from the next. */
const WATCH_FRAMES = `
  window.frames_ = [];
  window.longTasks_ = [];
  new PerformanceObserver((list) => longTasks_.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  const onFrame = (at) => { frames_.push(at); requestAnimationFrame(onFrame); };
  requestAnimationFrame(onFrame);`;

async function liveFigures(page: Page, gateway: GatewayProcess) {
  await page.goto(`${gateway.adminUrl}/console/requests?live=on`);
  await page.locator(PAGES.requests.isUsable).first().waitFor();
  await page.evaluate(WATCH_FRAMES);
  const perSecond = Math.round(await load(gateway));
  const { frames, longTasks } = (await page.evaluate('({ frames: frames_, longTasks: longTasks_ })')) as {
    frames: readonly number[];
    longTasks: readonly number[];
  };
  const gaps = frames
    .slice(1)
    .map((at, index) => at - (frames[index] ?? at))
    .toSorted((a, b) => a - b);
  return {
    perSecond,
    frameMs: Math.round(median(gaps)),
    frameP99Ms: Math.round(gaps[Math.floor(gaps.length * 0.99)] ?? 0),
    longTasks: longTasks.filter((ms) => ms > LONG_TASK_MS).length,
  };
}

const { stage, browser, databaseUrl, records } = await openFilledStage(Number(values.records));
try {
  console.log(`${records} records`);
  const simulator = await stage.simulator();
  const gateway = await stage.gateway({
    database: { url: databaseUrl },
    providers: {
      host: { dialect: 'openai-chat', baseUrl: `${simulator.url}/compatible/v1`, credential: 'sk-upstream' },
    },
    models: [{ id: MODEL, endpoints: [{ provider: 'host', upstreamModel: 'any' }] }],
  });
  const context = await browser.newContext({ viewport: WIDTHS.desktop });
  const { page } = await openPage(context);
  await signInWithSecret(page, gateway.adminUrl, OPERATOR_SECRET);
  const pages: Record<string, number> = {};
  for (const [name, one] of Object.entries(PAGES)) {
    pages[name] = await timesOf(page, gateway.adminUrl, one);
    console.log(`${name.padEnd(10)} ${pages[name]} ms until it can be used (median of ${TRIES})`);
  }
  const live = await liveFigures(page, gateway);
  console.log(
    `live list  at ${live.perSecond} requests/s: a frame every ${live.frameMs} ms, p99 ${live.frameP99Ms} ms, ${live.longTasks} tasks above ${LONG_TASK_MS} ms`,
  );
  const ok = Object.values(pages).every((ms) => ms <= FIRST_VIEW_MS) && live.longTasks === 0;
  console.log(JSON.stringify({ ok, records, pages, live }));
  process.exitCode = ok ? 0 : 1;
} finally {
  await stage.close();
}
