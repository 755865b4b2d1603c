/**
 * `npm run check-live:planted`: the check of a host against the faithful simulator, and with one deviation at a time. The last
 * line is JSON.
 */
import { differenceText, fixtureLines, openLiveCheck, reportText } from '@trivium/gateway';
import { simulatedAccessKey, startSimulator } from '@trivium/simulator';
import { CONTENT, FORMATS, type Format, planted } from './deviations.ts';
import { checkDrift } from './drift.ts';
import { driftCpu } from './drift-cpu.ts';
import { liveConfig, PLACE_OF, SECRET } from './hosts.ts';
import { overReporting, plantedInMeaning } from './meaning-deviations.ts';
import { plantedInMedia } from './media-deviations.ts';
import { MEDIA_FORMATS, MEDIA_PLACES, mediaConfig } from './media-hosts.ts';
import { startProxy } from './proxy.ts';

const BOUND = 50_000_000n;
const simulator = await startSimulator({});
const proxy = await startProxy(simulator.url);
const failures: string[] = [];
const fail = (what: string): void => {
  failures.push(what);
  console.error(`FAIL ${what}`);
};
const SECRETS = [SECRET, simulatedAccessKey.secretAccessKey, CONTENT, 'zebra'];

type Seen = {
  readonly texts: readonly string[];
  readonly failed: readonly string[];
  readonly notAsked: readonly string[];
};

const isText = (format: string): format is Format => Object.hasOwn(PLACE_OF, format);

/** `isHonest`: the host states what it took, so that what was spent can be held against the bound. */
async function check(format: string, bound = BOUND, isHonest = true): Promise<Seen> {
  const provider = isText(format) ? PLACE_OF[format].provider : (MEDIA_PLACES[format] ?? '');
  const config = isText(format) ? liveConfig(proxy.url) : mediaConfig(proxy.url);
  const open = await openLiveCheck(config, {
    provider,
    model: isText(format) ? PLACE_OF[format].model : `check/${format}`,
    format,
    boundNanoUsd: bound,
  });
  try {
    if (open.plan.mostNanoUsd > bound) fail(`${format}: a plan beyond its bound`);
    const result = await open.run();
    if (isHonest && result.spentNanoUsd > bound) fail(`${format}: ${result.spentNanoUsd} spent of ${bound}`);
    const about = { provider, checkedAt: '2026-01-01T00:00:00Z', bound: String(bound), ...result };
    const output = reportText(about, open.redact) + fixtureLines(provider, result.rows, open.redact);
    for (const secret of SECRETS) if (output.includes(secret)) fail(`${format}: the output holds ${secret}`);
    // What the host itself said in an answer to our own questions.
    for (const text of ['Say hello', 'Oslo', '3 degrees', 'A grey square', 'recording of'])
      if (output.includes(text)) fail(`${format}: the output holds content`);
    return {
      texts: result.rows.flatMap(({ differences }) => differences.map(differenceText)),
      failed: result.rows.flatMap(({ probe, outcome, why }) => (outcome === 'failed' ? [`${probe}: ${why}`] : [])),
      notAsked: result.rows.flatMap(({ probe, outcome, why }) => (outcome === 'not asked' ? [`${probe}: ${why}`] : [])),
    };
  } finally {
    await open.close();
  }
}

/** Lists of models and counts cost nothing. */
const FREE = /\/(?:foundation-)?models(?:\?|$)|count[-_]?tokens|input_tokens/i;
/** What is left out at the faithful simulator, and why. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'openai-chat': ['thinking: no configured model of this host can do it', 'count: this host has no path that counts'],
  'openai-responses': ['stop: this host takes no stop sequences'],
  'amazon-converse': ['models: this host is known to list no models'],
  'tei-rerank': ['error: its requests name no model'],
  'assemblyai-transcription': ['error: its requests name no model'],
};
const NO_LIST = 'models: only lists of hosts of text are compared';

let faithful = 0;
const EVERY = [...FORMATS, ...MEDIA_FORMATS];
for (const format of EVERY) {
  const { texts, failed, notAsked } = await check(format);
  faithful += texts.length + failed.length;
  const unexpected = notAsked.filter(
    (row) => (isText(format) || row !== NO_LIST) && LEFT_OUT[format]?.includes(row) !== true,
  );
  for (const row of unexpected) fail(`${format}: not asked at the faithful simulator: ${row}`);
  for (const text of [...texts, ...failed]) fail(`${format}: a difference from the faithful simulator: ${text}`);
}

proxy.asked.length = 0;
for (const format of EVERY) await check(format, 0n);
const paid = proxy.asked.filter((path) => !FREE.test(path));
for (const path of paid) fail(`asked without money: ${path}`);
for (const bound of [1000n, 1_000_000n, 5_000_000n]) for (const format of EVERY) await check(format, bound);

let found = 0;
const all = [...planted(SECRET), ...plantedInMeaning(FORMATS), ...plantedInMedia(SECRET)];
for (const { name, format, change, names } of all) {
  proxy.change = change;
  const { texts } = await check(format);
  if (texts.some((text) => names.test(text))) found += 1;
  else fail(`${format}: ${name} was not named; seen: ${texts.slice(0, 3).join(' | ') || 'nothing'}`);
}
let stopped = 0;
for (const { name, format, change, names } of FORMATS.map(overReporting)) {
  proxy.change = change;
  proxy.asked.length = 0;
  const { texts } = await check(format, BOUND, false);
  const bought = proxy.asked.filter((path) => !FREE.test(path)).length;
  if (bought === 1 && texts.some((text) => names.test(text))) stopped += 1;
  else
    fail(`${format}: ${name}: ${bought} questions were paid for; seen: ${texts.slice(0, 3).join(' | ') || 'nothing'}`);
}
proxy.change = undefined;
const drift = await checkDrift(proxy, fail);
const driftShare = await driftCpu(fail);
await proxy.close();
await simulator.close();
console.log(
  JSON.stringify({
    ok: failures.length === 0,
    faithful,
    formats: EVERY.length,
    planted: all.length,
    found,
    stopped,
    paidWithoutMoney: paid.length,
    drift,
    driftCpu: driftShare,
    failures: failures.length,
  }),
);
process.exitCode = failures.length === 0 ? 0 : 1;
