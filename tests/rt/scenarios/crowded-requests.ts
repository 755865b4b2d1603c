/** A request that holds very many of one thing is read in time that grows with its length: it does not stop everybody else. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ask } from '../parts/ask.ts';
import { crowdedBodies, type Protocol } from '../parts/crowded-bodies.ts';
import { rounded } from '../parts/load.ts';
import { processorSeconds } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly count: number;
  /** Of processor time for one request. What grows with the square takes many times as long at these counts. */
  readonly mostMs: number;
};

const DIALECTS = {
  chat: 'openai-chat',
  messages: 'anthropic-messages',
  generate: 'google-generate',
  responses: 'openai-responses',
} as const;
const LIMIT_MS = 60_000;
const WORST = 5;
/** What a model may be given: nobody is refused for length alone. */
const CONTEXT = 100_000_000;

const PATHS: Readonly<Record<Protocol, (model: string) => string>> = {
  chat: () => '/api/v1/chat/completions',
  messages: () => '/api/anthropic/v1/messages',
  generate: (model) => `/api/vertex-ai/v1/publishers/own/models/${model}:generateContent`,
  responses: () => '/api/v1/responses',
};

/** An upstream that takes everything in and wants nothing of it: what is measured is the way there. */
async function startRefuser(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"no","type":"invalid_request_error"}}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

async function run({ count, mostMs }: Parameters, stage: Stage): Promise<Outcome> {
  const upstream = await startRefuser();
  const targets = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[];
  const gateway = await stage.gateway({
    providers: Object.fromEntries(
      targets.map((name) => [name, { dialect: DIALECTS[name], baseUrl: upstream.url, credential: 'sk-upstream-rt' }]),
    ),
    models: targets.map((provider) => ({
      id: `own/${provider}`,
      contextLength: CONTEXT,
      endpoints: [{ provider, upstreamModel: 'any' }],
    })),
    health: { failures: 1_000_000, stalls: 1_000_000 },
    overload: { lagMs: 0 },
  });
  const send = (protocol: Protocol, target: string, body: object): ReturnType<typeof ask> =>
    ask({
      url: gateway.url,
      path: PATHS[protocol](target),
      body: protocol === 'generate' ? body : { model: `own/${target}`, ...body },
      headers: { 'anthropic-version': '2023-06-01' },
      limitMs: LIMIT_MS,
    });
  // The first large body also pays for the start of the thread that reads such bodies.
  for (const body of Object.values(crowdedBodies(count).chat).slice(0, 1)) await send('chat', 'chat', body);
  const took: { readonly what: string; readonly ms: number }[] = [];
  let unanswered = 0;
  for (const [protocol, bodies] of Object.entries(crowdedBodies(count)) as [Protocol, Record<string, object>][])
    for (const [what, body] of Object.entries(bodies))
      for (const target of targets) {
        const before = processorSeconds(gateway.child.pid);
        const { status } = await send(protocol, target, body);
        if (status < 400 || status > 499) unanswered++;
        const ms = rounded((processorSeconds(gateway.child.pid) - before) * 1000, 0);
        took.push({ what: `${protocol}, ${what}, to ${target}`, ms });
      }
  upstream.close();
  const worst = took.toSorted((one, other) => other.ms - one.ms).slice(0, WORST);
  return {
    figures: { count, requests: took.length, worst: worst.map(({ what, ms }) => `${ms} ms: ${what}`) },
    checks: [
      exactly('requests that got no answer of the right kind', unanswered, 0),
      atMost('ms of processor time for one of them', worst[0]?.ms ?? Number.NaN, mostMs),
    ],
  };
}

export const crowdedRequests = scenario<Parameters>({
  name: 'crowded-requests',
  shows: 'a request that holds very many of one thing is read in time that grows with its length, and stops nobody',
  short: { count: 20_000, mostMs: 2000 },
  full: { count: 100_000, mostMs: 10_000 },
  run,
});
