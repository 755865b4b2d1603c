/** Callers who ask for responses in the background, and read them as often as they like. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { keyFor } from '../parts/money.ts';

export const ACCOUNT = 'writer';
/** Of each response: two seconds of them. */
export const WORDS = 20;
const WORDS_A_SECOND = 10;
const PATH = '/api/v1/responses';
const HEADERS = { authorization: `Bearer ${keyFor(ACCOUNT)}` };
const ASK_LIMIT_MS = 60_000;
const READ_LIMIT_MS = 15_000;
const REFUSED_AGAIN_MS = 300;
const MOST_TRIES = 200;

export type Event = { readonly type: string; readonly sequence_number: number } & Readonly<Record<string, unknown>>;

/** What a caller was told; `events` of a stream, as far as it came. */
export type Told = { readonly id: string; readonly events: readonly Event[] };

/** Whole ones. */
const eventsIn = (text: string): Event[] =>
  text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => JSON.parse(line.slice('data: '.length)));

/** Asks until it is taken. One whose answer was lost may have been taken all the same. */
export async function order(nodeOf: () => GatewayProcess, isStreamed: boolean): Promise<Told> {
  const input = `Tell me all @simulate scenario=text-long words=${WORDS} tps=${WORDS_A_SECOND}`;
  const body = { model: MODEL, input, max_output_tokens: WORDS, background: true, stream: isStreamed };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { status, text } = await ask({
      url: nodeOf().url,
      path: PATH,
      body,
      headers: HEADERS,
      limitMs: ASK_LIMIT_MS,
    });
    const told = status === 200 ? toldBy(text, isStreamed) : undefined;
    if (told !== undefined) return told;
    await sleep(REFUSED_AGAIN_MS);
  }
  throw new Error('no response was taken');
}

function toldBy(text: string, isStreamed: boolean): Told | undefined {
  if (!isStreamed) return text === '' ? undefined : { id: JSON.parse(text).id, events: [] };
  const events = eventsIn(text);
  const first = events[0]?.['response'] as { id: string } | undefined;
  return first && { id: first.id, events };
}

const get = async ({ url }: GatewayProcess, path: string): Promise<string> => {
  const response = await fetch(`${url}${PATH}/${path}`, {
    headers: HEADERS,
    signal: AbortSignal.timeout(READ_LIMIT_MS),
  });
  return response.text();
};

export type Read = {
  readonly status: string;
  readonly output: readonly { readonly content?: readonly { readonly text: string }[] }[];
  readonly usage?: { readonly output_tokens: number };
};

export const read = async (node: GatewayProcess, id: string): Promise<Read> => JSON.parse(await get(node, id));

export const replay = async (node: GatewayProcess, id: string, after?: number): Promise<Event[]> =>
  eventsIn(await get(node, `${id}?stream=true${after === undefined ? '' : `&starting_after=${after}`}`));
