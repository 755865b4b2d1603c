/** Arriving bodies cost memory in proportion to their size: not more in tiny pieces, and not more at once than the limits allow. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyOf, HaltingSender, MODEL, sendChunked } from '../parts/body-senders.ts';
import { rounded } from '../parts/load.ts';
import { peakBytes, residentBytes } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  /** Size of the body that arrives in pieces of one byte. */
  readonly pieceMb: number;
  /** Memory of uncollected event objects, even for a short body; included in the bound at full length. */
  readonly youngMb: number;
  readonly senders: number;
  readonly senderMb: number;
  readonly places: number;
  readonly budgetMb: number;
};

const MB = 1024 * 1024;
const TIMES_THE_BYTES = 3;
/** A body counts four times its size, and one account may hold half. */
const COUNTED = 8;
const WARM_UPS = 20;
const LARGE_CHUNK_BYTES = 65_536;
const PATIENCE_MS = 1_200_000;

const ANSWER = JSON.stringify({
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'any',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** An upstream that reads everything, and answers with one word. */
async function startHost(stage: Stage): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stage.atEnd(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const configOf = (baseUrl: string, limits: object): Record<string, unknown> => ({
  providers: { host: { dialect: 'openai-chat', baseUrl, credential: 'sk-upstream-rt' } },
  models: [{ id: MODEL, contextLength: 100_000_000, endpoints: [{ provider: 'host', upstreamModel: 'any' }] }],
  limits,
  // Memory is measured here, on a machine that may be busy.
  overload: { lagMs: 0 },
  timeouts: { bodyGraceMs: PATIENCE_MS, requestMs: PATIENCE_MS },
});

/** Peak growth of the process by one body; one process each, because a peak stays. */
async function growthMb(
  stage: Stage,
  host: string,
  body: Buffer,
  chunkBytes: number,
): Promise<readonly [number, number]> {
  const gateway = await stage.gateway(configOf(host, {}), { name: `gateway-${chunkBytes}` });
  for (let round = 0; round < WARM_UPS; round++) await sendChunked(gateway.url, bodyOf(10_000), 1000);
  const before = residentBytes(gateway.child.pid);
  const status = await sendChunked(gateway.url, body, chunkBytes);
  return [status, rounded((peakBytes(gateway.child.pid) - before) / MB, 1)];
}

async function run(
  { pieceMb, youngMb, senders, senderMb, places, budgetMb }: Parameters,
  stage: Stage,
): Promise<Outcome> {
  const host = await startHost(stage);
  const body = bodyOf(pieceMb * MB);
  const [wholeStatus, wholeMb] = await growthMb(stage, host, body, LARGE_CHUNK_BYTES);
  const [piecesStatus, piecesMb] = await growthMb(stage, host, body, 1);
  stage.say(`${pieceMb} MB: ${wholeMb} MB more in large pieces, ${piecesMb} MB in pieces of one byte`);

  const gateway = await stage.gateway(
    configOf(host, { inFlightPerKey: places, memoryBytes: COUNTED * budgetMb * MB }),
    {
      name: 'gateway-many',
    },
  );
  for (let round = 0; round < WARM_UPS; round++) await sendChunked(gateway.url, bodyOf(10_000), 1000);
  const before = residentBytes(gateway.child.pid);
  const large = bodyOf(senderMb * MB);
  const all = Array.from({ length: senders }, () => new HaltingSender(gateway.url, large));
  await waitFor(
    'every sender is refused or has sent all but one byte',
    () => all.every(({ status, waits }) => status !== 0 || waits),
    PATIENCE_MS,
  );
  const refused = all.filter(({ status }) => status === 429).length;
  const inFlight = await gateway.metric('trivium_requests_in_flight');
  const heldMb = rounded((peakBytes(gateway.child.pid) - before) / MB, 1);
  let served = 0;
  for (const sender of all) if (sender.waits && (await sender.finish()) === 200) served++;
  await waitFor(
    'every place is free',
    async () => (await gateway.metric('trivium_requests_in_flight')) === 0,
    PATIENCE_MS,
  );
  return {
    figures: { pieceMb, wholeMb, piecesMb, senders, senderMb, refused, inFlight, heldMb, budgetMb, served },
    checks: [
      exactly('status of the body in large pieces', wholeStatus, 200),
      exactly('status of the body in pieces of one byte', piecesStatus, 400),
      atMost('MB more for pieces of one byte', rounded(piecesMb - wholeMb, 1), TIMES_THE_BYTES * pieceMb + youngMb),
      exactly('senders refused at their head', refused, senders - places),
      exactly('requests in flight while bodies arrive', inFlight, places),
      exactly('of the others, served when they went on', served, places),
      atMost('MB more while bodies arrive', heldMb, budgetMb),
    ],
  };
}

export const arrivingBodies = scenario<Parameters>({
  name: 'arriving-bodies',
  shows:
    'a body in pieces of one byte is refused and costs no memory, and what one key sends at once is refused at its head beyond its places',
  short: { pieceMb: 4, youngMb: 40, senders: 20, senderMb: 8, places: 3, budgetMb: 96 },
  full: { pieceMb: 30, youngMb: 0, senders: 100, senderMb: 31, places: 5, budgetMb: 320 },
  run,
});
