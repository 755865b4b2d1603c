// An upstream that breaks off at any event of any stream: the caller never sees what looks like a finished answer.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CuttingProxy, type Death, openCuttingProxy } from '../support/cutting-proxy.ts';
import { EVERY_PAIR, EVERY_ROAD } from '../support/every-road.ts';
import { NIGHTLY } from '../support/nightly.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { DESTINATIONS, post, type Road } from '../support/roads.ts';
import { NEWEST, OTHERS } from '../support/sdk-streams.ts';
import { openStand, type Stand } from '../support/stand.ts';
import { playedStreams, TERMINAL, writtenStreams } from '../support/stream-fixtures.ts';

const RICH = [
  { what: 'text', scenario: 'text-long words=6', responseOptions: {} },
  { what: 'thinking', scenario: 'reasoning', responseOptions: { thinking: true } },
  { what: 'tools', scenario: 'tools-with-text', responseOptions: { tools: ['weather', 'clock'] } },
] as const;
const DEATHS: readonly Death[] = ['break', 'end'];
/** In ms, for thousands of streams in a row: a timed-out test would keep steering the proxy of the next one. */
const DIES_WITHIN_MS = 900_000;
const ASKING = { tools: ['weather', 'clock', 'news'], thinking: true } as const;

let stand: Stand;
let proxy: CuttingProxy;
let scenarios: readonly string[];
beforeAll(async () => {
  proxy = await openCuttingProxy(() => stand.simulator.url);
  const own = { credential: 'sk-upstream' };
  stand = await openStand({
    alsoHosts: (simulatorUrl) => {
      const { models } = responsesHosts(simulatorUrl);
      return {
        providers: {
          openai: { ...own, baseUrl: `${proxy.url}/openai/v1` },
          compatible: { ...own, dialect: 'openai-chat', baseUrl: `${proxy.url}/compatible/v1` },
          anthropic: { ...own, baseUrl: `${proxy.url}/anthropic` },
          google: { ...own, baseUrl: `${proxy.url}/google/v1beta` },
          xai: { ...own, baseUrl: `${proxy.url}/openai@xai/v1` },
        },
        models,
      };
    },
  });
  const listed = await fetch(`${stand.simulator.url}/_simulator/scenarios`);
  const { scenarios: known } = (await listed.json()) as { scenarios: Record<string, string> };
  // A shorter long text: its many events are all of the same kinds.
  scenarios = Object.keys(known).map((name) => (name === 'text-long' ? 'text-long words=5' : name));
});
afterAll(async () => {
  await stand.close();
  await proxy.close();
});

/** Marks of a complete answer. */
const FINISHED: Readonly<Record<Road['name'], RegExp>> = {
  chat: /\[DONE\]|"finish_reason":"/,
  messages: /message_stop|"stop_reason":"/,
  genai: /finishReason/,
  responses: /event: response\.(?:completed|incomplete)/,
};

describe.each(EVERY_PAIR)('$pair', ({ road, dialect, model, thinker }) => {
  test.each(RICH)(
    'a $what stream that breaks off at any event never looks finished',
    async ({ what, scenario, responseOptions }) => {
      const asked = what === 'thinking' ? thinker : model;
      const prompt = `Go on. @simulate scenario=${scenario}`;
      const body = road.body(asked, [road.user(prompt)], { ...responseOptions, stream: true });
      const read = (): Promise<unknown> => NEWEST[road.name]({ url: stand.url, model: asked, prompt, responseOptions });
      proxy.replay(undefined);
      proxy.cutAfter(undefined);
      const whole = await post(stand, road, asked, body, { stream: true });
      expect(whole.text).toMatch(FINISHED[road.name]);
      await expect(read()).resolves.toBeDefined();
      const terminal = proxy.lastEvents().findIndex((event) => TERMINAL[dialect].test(event));
      expect(terminal).toBeGreaterThan(2);
      proxy.replay(proxy.lastEvents());
      for (const death of DEATHS)
        for (let events = 0; events < terminal; events += 1) {
          const where = `${death} after ${events} of ${terminal}`;
          proxy.cutAfter(events, death);
          const reply = await post(stand, road, asked, body, { stream: true });
          expect(reply.text, where).not.toMatch(FINISHED[road.name]);
          expect(reply.text, where).toContain('"error"');
          if (reply.status === 200) expect(reply.complete, where).toBe(false);
          else expect(reply.status, where).toBe(502);
          expect(await read().catch((error: unknown) => error), where).toBeInstanceOf(Error);
        }
    },
    DIES_WITHIN_MS,
  );
});

/** Each stream is read by one protocol, in turn; nightly by all, with both kinds of break. */
const readersOf = (turn: number): readonly Road[] =>
  NIGHTLY ? EVERY_ROAD : EVERY_ROAD.filter((_, at) => at === turn % EVERY_ROAD.length);

describe.each(DESTINATIONS)('every stream we know of $dialect', ({ dialect, thinker: model }) => {
  test(
    'the official SDK throws when the stream breaks off at any event before its end',
    async () => {
      const streams = [...writtenStreams(dialect), ...(await playedStreams(stand, proxy, dialect, scenarios))];
      expect(streams.length).toBeGreaterThan(40);
      const swallowed: string[] = [];
      let deaths = 0;
      for (const [turn, stream] of streams.entries()) {
        proxy.replay(stream.events);
        for (const road of readersOf(turn))
          for (let events = 0; events < stream.terminal; events += 1)
            for (const death of NIGHTLY ? DEATHS : DEATHS.slice(events % 2, (events % 2) + 1)) {
              proxy.cutAfter(events, death);
              deaths += 1;
              const wanted = { url: stand.url, model, prompt: 'Go on.', responseOptions: ASKING };
              const ended = await NEWEST[road.name](wanted).catch((error: unknown) => error);
              if (!(ended instanceof Error))
                swallowed.push(`${road.name}, ${stream.name}: ${death} after ${events} of ${stream.terminal}`);
            }
      }
      expect(swallowed).toEqual([]);
      expect(deaths).toBeGreaterThan(streams.length * 4);
    },
    DIES_WITHIN_MS,
  );
});

describe.each(Object.keys(OTHERS))('%s', (name) => {
  test.each(DESTINATIONS)(
    'the client reports a break at every event of $dialect',
    async ({ dialect, model }) => {
      const [stream] = await playedStreams(stand, proxy, dialect, ['tools-with-text']);
      if (stream === undefined) throw new Error('no stream');
      proxy.replay(stream.events);
      const wanted = { url: stand.url, model, prompt: 'Go on.', responseOptions: { tools: ['weather', 'clock'] } };
      proxy.cutAfter(undefined);
      await expect(OTHERS[name]?.(wanted)).resolves.toBeDefined();
      for (let events = 0; events < stream.terminal; events += 1) {
        proxy.cutAfter(events, DEATHS[events % 2]);
        const ended = await OTHERS[name]?.(wanted).catch((error: unknown) => error);
        expect(ended, `after ${events} of ${stream.terminal}`).toBeInstanceOf(Error);
      }
    },
    DIES_WITHIN_MS,
  );
});
