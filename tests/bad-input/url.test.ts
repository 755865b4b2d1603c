/**
 * B6 for every place that takes a URL from a caller or receives one from an upstream. The check is which connections
 * are attempted: only to the allowed host. A hole planted on purpose must be found by the same check.
 */
import ipaddr from 'ipaddr.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { webhookClient } from '../../packages/gateway/src/app/open-webhooks.ts';
import { adminDocument } from '../../packages/gateway/src/control/slices.ts';
import { type FetchSettings, GuardedFetcher } from '../../packages/gateway/src/upstream/media-fetcher.ts';
import { type CannedUpstream, openCannedUpstream, plainAnswer } from '../support/canned-upstream.ts';
import { type Dialled, type DialWatch, resolveAs, watchDialling } from '../support/dialled.ts';
import { type FileHost, openFileHost } from '../support/file-host.ts';
import { genaiUrl, postImages, postJson, predict } from '../support/image-probe.ts';
import { openStand, postChat, type Stand, standConfig } from '../support/stand.ts';
import { ASKED_CASES, NAMES, UNASKED_CASES, type UrlCase } from './url-cases.ts';

const GEMINI = 'google/gemini-2.5-flash';
const BLIND = 'blind/claude';
const PAINTER = 'canned/painter';
const AT_ONCE = 16;
const MAX_BYTES = 4096;
/** Far above what a good file takes on a busy machine; only a file that never ends waits for it. */
const TIMEOUT_MS = 2_000;

let files: FileHost;
let painter: CannedUpstream;
let stand: Stand;
let receivers: ReturnType<typeof webhookClient>;
let watch: DialWatch;
let names: ReturnType<typeof resolveAs>;
let own: ReadonlySet<number>;

const hosts = (url: string) => ({
  providers: {
    blind: {
      dialect: 'anthropic-messages',
      baseUrl: `${url}/anthropic@blind`,
      credential: 'sk-blind',
      quirks: { fetchesUrls: false },
    },
    canned: { dialect: 'openai-images', baseUrl: painter.url },
  },
  models: [
    {
      id: BLIND,
      contextLength: 128_000,
      maxOutputTokens: 16_384,
      inputModalities: ['text', 'image', 'file'],
      endpoints: [{ provider: 'blind', upstreamModel: 'claude-sonnet-4-5' }],
    },
    {
      id: PAINTER,
      inputModalities: ['text'],
      outputModalities: ['image'],
      endpoints: [{ provider: 'canned', upstreamModel: 'painter' }],
    },
  ],
});

const fetchSettings = (): FetchSettings => ({
  schemes: ['http', 'https'],
  ports: [files.port, 80, 443],
  alsoAddresses: ['127.0.0.1'],
  maxBytes: MAX_BYTES,
  maxRedirects: 3,
  maxAtOnce: 2 * AT_ONCE,
  timeoutMs: TIMEOUT_MS,
});

beforeAll(async () => {
  [files, painter] = await Promise.all([openFileHost(), openCannedUpstream()]);
  const media = { fetch: { enabled: true, ...fetchSettings() } };
  stand = await openStand({ alsoHosts: hosts, config: () => ({ media }) });
  own = new Set([stand.url, stand.simulator.url, painter.url].map((url) => Number(new URL(url).port)));
  const { schemes, ports, alsoAddresses, timeoutMs } = fetchSettings();
  const webhooks = { schemes, ports, alsoAddresses, timeoutMs };
  receivers = webhookClient(standConfig(stand.simulator.url, { config: () => ({ webhooks }) }));
  names = resolveAs(NAMES);
  watch = watchDialling();
});
afterAll(async () => {
  watch.close();
  names.restore();
  await stand.close();
  await painter.close();
  files.close();
});

type Outcome = 'refused' | 'taken';
type Place = {
  readonly name: string;
  readonly atOnce: number;
  /** A valid file of the kind that belongs there. */
  readonly good: 'png' | 'pdf';
  /** Places that follow no redirect. */
  readonly stays?: true;
  give(url: string): Promise<Outcome>;
};

const outcomeOf = ({ status }: { readonly status: number }): Outcome => (status < 300 ? 'taken' : 'refused');
const user = (...content: object[]) => [
  { role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...content] },
];
const VERSION = { 'anthropic-version': '2023-06-01' };
const messages = async (content: object[], before: object[] = []) =>
  outcomeOf(
    await postJson(
      `${stand.url}/api/anthropic/v1/messages`,
      { model: GEMINI, max_tokens: 100, messages: [...before, { role: 'user', content }] },
      VERSION,
    ),
  );

/** Every place, with the steps to bring a URL there. The image host gives one answer at a time. */
const PLACES: readonly Place[] = [
  {
    name: 'an image of a chat message',
    atOnce: AT_ONCE,
    good: 'png',
    give: async (url) =>
      outcomeOf(await postChat(stand, { model: GEMINI, messages: user({ type: 'image_url', image_url: { url } }) })),
  },
  {
    name: 'an image of a message',
    atOnce: AT_ONCE,
    good: 'png',
    give: (url) => messages([{ type: 'image', source: { type: 'url', url } }]),
  },
  {
    name: 'a document of a message',
    atOnce: AT_ONCE,
    good: 'pdf',
    give: (url) => messages([{ type: 'document', source: { type: 'url', url } }]),
  },
  {
    name: 'an image in the result of a tool',
    atOnce: AT_ONCE,
    good: 'png',
    give: (url) =>
      messages(
        [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'image', source: { type: 'url', url } }] }],
        [
          { role: 'user', content: 'Look.' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
        ],
      ),
  },
  {
    name: 'a file of generated content',
    atOnce: AT_ONCE,
    good: 'png',
    give: async (url) => {
      const parts = [{ text: 'What is this?' }, { fileData: { fileUri: url, mimeType: 'image/png' } }];
      return outcomeOf(
        await postJson(genaiUrl(stand, BLIND, 'generateContent'), { contents: [{ role: 'user', parts }] }),
      );
    },
  },
  {
    name: 'an image of a response',
    atOnce: AT_ONCE,
    good: 'png',
    give: async (url) => {
      const content = [{ type: 'input_image', image_url: url, detail: 'auto' }];
      return outcomeOf(
        await postJson(`${stand.chatUrl}/responses`, { model: GEMINI, input: [{ role: 'user', content }] }),
      );
    },
  },
  {
    name: 'the address of an image an upstream has made',
    atOnce: 1,
    good: 'png',
    give: async (url) => {
      painter.say(plainAnswer({ created: 1, data: [{ url }] }));
      return outcomeOf(await postImages(stand, { model: PAINTER, prompt: 'a cat' }));
    },
  },
  {
    name: 'the address of an image an upstream has predicted',
    atOnce: 1,
    good: 'png',
    give: async (url) => {
      painter.say(plainAnswer({ created: 1, data: [{ url }] }));
      return outcomeOf(await predict(stand, PAINTER, { instances: [{ prompt: 'a cat' }], parameters: {} }));
    },
  },
  {
    name: 'a result that is kept',
    atOnce: AT_ONCE,
    good: 'png',
    give: async (url) => {
      try {
        const { content } = await new GuardedFetcher(fetchSettings()).open(url, fetchSettings());
        let length = 0;
        for await (const piece of content) length += piece.length;
        // Stored results may be of any type; an error is still not a result.
        return length > 0 ? 'taken' : 'refused';
      } catch {
        return 'refused';
      }
    },
  },
  {
    name: 'a webhook',
    atOnce: AT_ONCE,
    good: 'png',
    stays: true,
    give: async (url) => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const { answer, close } = await receivers.ask(url, { method: 'POST', headers: {}, body: '{}', signal });
        await close();
        return outcomeOf({ status: answer.statusCode });
      } catch {
        return 'refused';
      }
    },
  },
];

/** A redirect target as one path segment. */
const fill = (url: string): string =>
  url
    .replaceAll('PORT', String(files.port))
    .replace(/\/(to|twice)\/(.*)$/s, (_, how: string, to: string) => `/${how}/${encodeURIComponent(to)}`);

type Finding = { readonly tries: string; readonly url: string; readonly dialled?: Dialled; readonly taken?: true };

/** Forbidden connections, and answers that were accepted as a file by mistake. */
async function play(place: Place, cases: readonly UrlCase[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let from = 0; from < cases.length; from += place.atOnce) {
    watch.forget();
    names.startAnew();
    const group = cases.slice(from, from + place.atOnce);
    await Promise.all(
      group.map(async ([tries, url]) => {
        if ((await place.give(fill(url))) === 'taken') findings.push({ tries, url, taken: true });
      }),
    );
    for (const dialled of watch.dialled) {
      const isOurs = dialled.address === '127.0.0.1' && (own.has(dialled.port) || dialled.port === files.port);
      if (!isOurs) findings.push({ tries: group[0]?.[0] ?? '', url: group.map(([, url]) => url).join(' | '), dialled });
    }
  }
  return findings;
}

/** Stored results are not inspected: a web page is stored as bytes, and never served as a page. */
const casesFor = ({ name }: Place): readonly UrlCase[] =>
  ASKED_CASES.filter(([, url]) => name !== 'a result that is kept' || !/\/(html|svg)$/.test(url));
/** The answer of a webhook receiver is not read. */
const REDIRECT_CASES = ASKED_CASES.filter(([tries]) => tries.includes('redirect'));

test('there are enough URL cases, and no duplicates', () => {
  const urls = [...ASKED_CASES, ...UNASKED_CASES].map(([, url]) => url);
  expect(urls.length).toBeGreaterThanOrEqual(220);
  expect(new Set(urls).size).toBe(urls.length);
});

describe.each(PLACES)('$name', (place) => {
  test('a valid file is accepted, by name and after a redirect', async () => {
    const file = `http://files.example:PORT/${place.good}`;
    const good = place.stays ? [file] : [file, `http://files.example:PORT/to/${file}`];
    expect(
      await play(
        place,
        good.map((url) => ['a good file', url]),
      ),
    ).toEqual(good.map((url) => ({ tries: 'a good file', url, taken: true })));
  });

  test('only the allowed host is dialled, whatever the URL', async () => {
    expect(await play(place, UNASKED_CASES)).toEqual([]);
  });

  test('only the allowed host is dialled after redirects, and only files are accepted', async () => {
    expect(await play(place, place.stays ? REDIRECT_CASES : casesFor(place))).toEqual([]);
  });
});

test('a name that resolves to a private address after the check is dialled at the checked address', async () => {
  const [place] = PLACES;
  if (place === undefined) throw new Error('no place');
  const findings = await play(place, [['rebinding', 'http://turning.example:PORT/png']]);
  expect(findings).toEqual([{ tries: 'rebinding', url: 'http://turning.example:PORT/png', taken: true }]);
});

test('the admin API takes no URL of a provider: those are only in the operator’s file', () => {
  const whole = adminDocument() as { readonly components: { readonly schemas: Readonly<Record<string, unknown>> } };
  const { HandedKey, ...schemas } = whole.components.schemas;
  // An answer that says where the gateway itself is.
  expect(JSON.stringify(HandedKey)).toContain('"gatewayUrl"');
  const document = JSON.stringify({ ...whole, components: { schemas } });
  const named = [...document.matchAll(/"(url|uri|origin|\w+(?:Url|Uri|Origin))":\{/g)].map(([, name]) => name);
  // Except webhooks, which belong to accounts and are guarded.
  expect([...new Set(named)]).toEqual(['url']);
});

describe('a planted hole is found', () => {
  const { range } = ipaddr.IPv4.prototype;
  afterEach(() => {
    ipaddr.IPv4.prototype.range = range;
  });

  test.each([
    ['loopback counts as public', (address: string) => address.startsWith('127.')],
    ['private networks count as public', (address: string) => /^(10|192\.168)\./.test(address)],
    ['the address of metadata counts as public', (address: string) => address === '169.254.169.254'],
  ])('a planted hole is found: %s', async (_, isMissed) => {
    ipaddr.IPv4.prototype.range = function blind() {
      return isMissed(this.toString()) ? 'unicast' : range.call(this);
    };
    for (const place of [PLACES[0], PLACES.at(-2), PLACES.at(-1)]) {
      if (place === undefined) throw new Error('no place');
      const findings = await play(place, [...UNASKED_CASES, ...ASKED_CASES].filter(isAddressed));
      expect(findings.filter(({ dialled }) => dialled !== undefined).length).toBeGreaterThan(0);
    }
  });
  const isAddressed = ([tries]: UrlCase): boolean => tries === 'a special IPv4 address' || tries === 'a redirect';
});
