/** Results of recorded exchanges per dialect: decoded, understood, metered right, refused and why. */
import { isJsonObject, type Json } from '@trivium/protocol/canonical';
import { SHIPPED_PROVIDERS } from '../../packages/gateway/src/models/providers/provider-set.ts';
import { factsOfHost } from './host-facts.ts';
import {
  attempt,
  dialectOf,
  isRefused,
  meteredTotal,
  readStream,
  recordedHead,
  usageOfAnswer,
  usageOfFrames,
  vendorTotal,
} from './judge.ts';
import type { Exchange } from './recordings.ts';

export type Tally = {
  exchanges: number;
  requests: number;
  understood: number;
  answers: number;
  decoded: number;
  totals: number;
  meteredRight: number;
  faults: number;
  /** Why, and how often. */
  readonly reasons: Map<string, number>;
};

const PATHS: readonly (readonly [path: RegExp, dialect: string])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/responses$/, 'openai-responses'],
  [
    /\/messages$|\/model\/[^/]*anthropic[^/]*\/invoke(-with-response-stream)?$|publishers\/anthropic\/models\/[^/]+:(stream)?[rR]awPredict$/,
    'anthropic-messages',
  ],
  [/:(stream)?[gG]enerateContent$/, 'google-generate'],
];

export function reportOn(exchanges: readonly Exchange[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const exchange of exchanges) {
    const address = URL.canParse(exchange.url) ? new URL(exchange.url) : undefined;
    const dialect = PATHS.find(([path]) => path.test(address?.pathname ?? ''))?.[1];
    if (address === undefined || dialect === undefined) continue;
    const tally = tallies.get(dialect) ?? newTally();
    tallies.set(dialect, tally);
    tally.exchanges++;
    judge(exchange, address, dialect, tally);
  }
  return tallies;
}

const newTally = (): Tally => ({
  exchanges: 0,
  requests: 0,
  understood: 0,
  answers: 0,
  decoded: 0,
  totals: 0,
  meteredRight: 0,
  faults: 0,
  reasons: new Map(),
});

function judge(exchange: Exchange, address: URL, dialect: string, tally: Tally): void {
  if (exchange.status < 200 || exchange.status > 299) {
    dialectOf(dialect).client.decodeFault(exchange.status, parsed(exchange.responseBody));
    tally.faults++;
    return;
  }
  judgeRequest(exchange, address, dialect, tally);
  const facts = factsOfHost(vendorOf(address), dialect);
  const isStream = /^\s*(data|event|:)/.test(exchange.responseBody);
  const read = attempt(() => {
    if (isStream) {
      const { answer, fault } = readStream(exchange.responseBody, dialectOf(dialect), facts);
      return fault === undefined ? { usage: answer.usage } : { fault };
    }
    return { usage: dialectOf(dialect).client.decodeAnswer(parsed(exchange.responseBody) ?? null, facts).usage };
  });
  tally.answers++;
  if (isRefused(read)) {
    count(tally, `answer: ${read.fault.message}`);
    return;
  }
  tally.decoded++;
  const wire = isStream
    ? usageOfFrames(dialect, dataLines(exchange.responseBody))
    : usageOfAnswer(dialect, parsed(exchange.responseBody) ?? null);
  const total = vendorTotal(dialect, wire);
  if (total === undefined) return;
  tally.totals++;
  const metered = meteredTotal(read.usage);
  if (metered === total) tally.meteredRight++;
  else count(tally, `usage: the host counts ${total} tokens, metered are ${metered}`);
}

function judgeRequest({ requestBody }: Exchange, address: URL, dialect: string, tally: Tally): void {
  const body = parsed(requestBody);
  if (!isJsonObject(body)) return;
  tally.requests++;
  const model = /\/models?\/([^/:]+)/.exec(decodeURIComponent(address.pathname))?.[1] ?? 'model';
  const { anthropic_version: _, ...named } =
    typeof body['model'] === 'string' || dialect === 'google-generate' ? body : { ...body, model };
  const read = attempt(() => dialectOf(dialect).server.understand(named, recordedHead(model)).call());
  if (isRefused(read)) count(tally, `request: ${read.fault.message.replace(/\d+/g, 'N')}`);
  else tally.understood++;
}

const count = (tally: Tally, reason: string): void =>
  void tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const dataLines = (text: string): string[] =>
  text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trim()] : []));

/** The shipped provider whose address this is; quirks of hosts that are not shipped are the common ones. */
function vendorOf({ hostname }: URL): string {
  const found = SHIPPED_PROVIDERS.find(({ offers }) =>
    Object.values(offers).some((offer) => {
      const host = /^https:\/\/([^/]+)/.exec(offer?.baseUrl ?? '')?.[1] ?? '';
      return (
        host !== '' &&
        (host === hostname ||
          (host.includes('{') && hostname.endsWith(host.replace(/^.*\}[^.]*/, '')) && host.includes('.')))
      );
    }),
  );
  return found?.id ?? 'none';
}

const MAX_REASONS = 12;

export function printReport(tallies: ReadonlyMap<string, Tally>, print: (line: string) => void): void {
  for (const [dialect, tally] of [...tallies].sort(([a], [b]) => a.localeCompare(b))) {
    print(`${dialect}: ${tally.exchanges} exchanges, ${tally.faults} of them refused by the host`);
    print(`  decoded        ${tally.decoded} of ${tally.answers}`);
    print(`  understood     ${tally.understood} of ${tally.requests}`);
    print(`  metered right  ${tally.meteredRight} of ${tally.totals} that name a total`);
    const reasons = [...tally.reasons].sort(([, a], [, b]) => b - a);
    for (const [reason, times] of reasons.slice(0, MAX_REASONS)) print(`  ${String(times).padStart(5)} × ${reason}`);
    if (reasons.length > MAX_REASONS) print(`        and ${reasons.length - MAX_REASONS} other reasons`);
  }
}
