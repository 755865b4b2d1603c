/**
 * Every available stream of every dialect: recorded and written ones from the fixtures, and each scenario of the
 * simulator as its vendor would send it. As events, with the index of the one that ends the answer.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type CuttingProxy, eventsIn } from './cutting-proxy.ts';
import { EVERY_ROAD, HOME } from './every-road.ts';
import { DESTINATIONS, type Destination, post } from './roads.ts';
import type { Stand } from './stand.ts';

export type StreamFixture = {
  readonly dialect: Destination['dialect'];
  readonly name: string;
  readonly events: readonly string[];
  /** Number of events before the one that completes the answer. */
  readonly terminal: number;
};

/** The event that completes an answer in each dialect. */
export const TERMINAL: Readonly<Record<Destination['dialect'], RegExp>> = {
  'openai-chat': /"finish_reason": ?"/,
  'anthropic-messages': /"stop_reason": ?"/,
  'google-generate': /"finishReason": ?"|"blockReason": ?"/,
  'openai-responses': /event: response\.(?:completed|incomplete|failed)\n/,
};

const WIRE = new URL('../../packages/protocol/fixtures/wire/', import.meta.url);

function fixtureOf(dialect: StreamFixture['dialect'], name: string, events: readonly string[]): StreamFixture {
  const terminal = events.findIndex((event) => TERMINAL[dialect].test(event));
  if (terminal < 0) throw new Error(`${dialect}: the stream ${name} has no end`);
  return { dialect, name, events, terminal };
}

export function writtenStreams(dialect: StreamFixture['dialect']): StreamFixture[] {
  const folder = new URL(`${dialect}/`, WIRE);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const file = new URL(`${name}/stream.sse`, folder);
    return existsSync(file) ? [fixtureOf(dialect, `fixture ${name}`, eventsIn(readFileSync(file, 'utf8')))] : [];
  });
}

/** The simulator's stream of each scenario, recorded at the proxy. */
export async function playedStreams(
  stand: Stand,
  proxy: CuttingProxy,
  dialect: StreamFixture['dialect'],
  scenarios: readonly string[],
): Promise<StreamFixture[]> {
  const road = EVERY_ROAD.find(({ name }) => HOME[name] === dialect);
  const model = DESTINATIONS.find((destination) => destination.dialect === dialect)?.thinker;
  if (road === undefined || model === undefined) throw new Error(`no protocol for ${dialect}`);
  const played: StreamFixture[] = [];
  proxy.replay(undefined);
  proxy.cutAfter(undefined);
  for (const scenario of scenarios) {
    const turns = [road.user(`Go on. @simulate scenario=${scenario}`)];
    const responseOptions = { tools: ['weather', 'clock', 'news'], thinking: true, stream: true };
    await post(stand, road, model, road.body(model, turns, responseOptions), { stream: true });
    played.push(fixtureOf(dialect, `scenario ${scenario}`, proxy.lastEvents()));
  }
  return played;
}
