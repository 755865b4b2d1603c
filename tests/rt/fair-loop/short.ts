/** The short form: the same bounds by counts alone, so that a slow machine decides nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../parts/ask.ts';
import { type GatewayProcess, OPERATOR_SECRET } from '../parts/gateway-process.ts';
import { rounded } from '../parts/load.ts';
import type { Stage } from '../parts/stage.ts';
import { atLeast, atMost, type Check, exactly, type Outcome } from '../scenario.ts';
import { isChosen } from './chosen.ts';
import { Program } from './programs.ts';
import { type RawReply, rawCall } from './raw-call.ts';
import { type Limits, MB, type Site, unknownLimits, VICTIM_MODEL } from './site.ts';
import { failuresOf, type Waits } from './waits.ts';
import { call, head, inChunks, KEYS, type Model, text, toolCalls, whole } from './wire.ts';

const { attacker } = KEYS;
const PATH = '/api/v1/chat/completions';
const BUDGET_MB = 256;
/** Enough pieces to be judged, few enough to be read quickly where they are not. */
const PIECES_MB = 0.1;
/** Read at one go, so that no reset for unread bytes overtakes the answer. */
const FEW_PIECES_MB = 0.003;
/** 24 MB on the wire: more than the kernels hold for a connection. */
const LONG_PIECES_MB = 4;
const MOST_SENT_MB = 14;
const PIPELINED = 5000;
const PIPELINES = 4;
const FLOOD_EVENTS = 2000;
/** A stream is judged after each read of 16 KiB; an empty event has about 100 bytes. */
const EVENTS_OF_A_READ = 256;
const FLOODS: readonly Model[] = ['c/comments', 'c/blank', 'c/interim', 'c/extensions.0.200'];
const FLOODS_LEFT_AFTER = 10_000;
const STREAMS = 8;
const ANSWERS = 24;
const ANSWER_BYTES = 10_000_000;
const TOOL_CALLERS = 40;
const TOOL_CALLS = 6000;
const LARGE_CHAT_MB = 5;
const LOOK_MS = 50;
const CALL_LIMIT_MS = 100_000;
const NO_COUNT = 1_000_000;

const inBytes = (mb: number, key?: string): Buffer =>
  inChunks(PATH, call({ model: 'c/ok', content: text(mb) }).body, { bytes: 1 }, key === undefined ? {} : { key });

const accountInBytes = (): Buffer =>
  inChunks(
    '/admin/v1/accounts',
    Buffer.from(JSON.stringify({ id: 'x', name: 'x'.repeat(PIECES_MB * MB) })),
    { bytes: 1 },
    { key: OPERATOR_SECRET },
  );

async function pieces({ url, adminUrl }: GatewayProcess): Promise<readonly Check[]> {
  const known = await rawCall(url, inBytes(PIECES_MB, attacker));
  const stranger = await rawCall(url, inBytes(FEW_PIECES_MB));
  const operator = await rawCall(adminUrl, accountInBytes());
  const long = await Promise.all([
    rawCall(url, inBytes(LONG_PIECES_MB, attacker)),
    rawCall(url, inBytes(LONG_PIECES_MB)),
  ]);
  return [
    exactly('status of a body in pieces of one byte, with a key', known.status, 400),
    exactly('status of a body in pieces of one byte, without a key', stranger.status, 401),
    exactly('status of a body in pieces of one byte at the admin listener', operator.status, 400),
    exactly(
      'such connections that were left open',
      [known, stranger, operator, ...long].filter(({ isEnded }) => !isEnded).length,
      0,
    ),
    atMost(
      'MB of 24 that one could send',
      rounded(Math.max(...long.map(({ sentBytes }) => sentBytes)) / MB, 1),
      MOST_SENT_MB,
    ),
  ];
}

/** Requests whose answers differ, in no simple order. */
const isProbe = (at: number): boolean => (at * 7919) % 5 < 3;

async function pipelines({ url }: GatewayProcess): Promise<readonly Check[]> {
  const one = (at: number): string =>
    head(isProbe(at) ? '/livez' : '/api/v1/nothing', { method: 'GET', last: at === PIPELINED - 1 }).toString();
  const bytes = Buffer.from(Array.from({ length: PIPELINED }, (_, at) => one(at)).join(''));
  const replies = await Promise.all(Array.from({ length: PIPELINES }, () => rawCall(url, bytes)));
  const statuses = replies.map((reply) => [...reply.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status));
  const misplaced = statuses.flatMap((each) => each.filter((status, at) => (status === '200') !== isProbe(at)));
  return [
    exactly('answers to pipelined requests', statuses.flat().length, PIPELINES * PIPELINED),
    exactly('of them out of order', misplaced.length, 0),
  ];
}

const eventsIn = (reply: string): number => reply.split('data: ').length - 1;

const flooded = async (
  { url }: GatewayProcess,
  count: number,
  model: Model = 'c/stuck',
): Promise<readonly RawReply[]> => {
  const { path, body } = call({ model, stream: true });
  const bytes = whole(path, body, { key: attacker });
  return Promise.all(
    Array.from({ length: count }, () => rawCall(url, bytes, (reply) => eventsIn(reply) > FLOODS_LEFT_AFTER)),
  );
};

async function floods(gateway: GatewayProcess): Promise<readonly Check[]> {
  const replies = await flooded(gateway, STREAMS);
  const others = await Promise.all(FLOODS.map((model) => flooded(gateway, 1, model)));
  return [
    // Nothing was sent to these callers yet: they get an error of their own.
    exactly(
      'statuses of floods of comments, blank lines, interim heads and chunk extensions',
      others.flat().filter(({ status }) => status === 502).length,
      FLOODS.length,
    ),
    exactly('floods that the gateway ended', replies.filter(({ isEnded }) => isEnded).length, STREAMS),
    exactly(
      'of them with an error for the caller',
      replies.filter((reply) => reply.text.includes('"error"')).length,
      STREAMS,
    ),
    // Besides, the first content, the error and the end.
    atMost(
      'events of a flood that were passed on',
      Math.max(...replies.map((reply) => eventsIn(reply.text))),
      FLOOD_EVENTS + EVENTS_OF_A_READ + 3,
    ),
  ];
}

async function memory(gateway: GatewayProcess): Promise<readonly Check[]> {
  const { path, body } = call({ model: `c/json.${ANSWER_BYTES}` });
  const bytes = whole(path, body, { key: attacker });
  let [most, isOver] = [0, false];
  const watching = (async (): Promise<void> => {
    while (!isOver) {
      most = Math.max(most, await gateway.metric('trivium_memory_held_bytes'));
      await sleep(LOOK_MS);
    }
  })();
  const replies = await Promise.all(Array.from({ length: ANSWERS }, () => rawCall(gateway.url, bytes)));
  isOver = true;
  await watching;
  return [
    atLeast('bytes held at once, as the metric says', most, 1),
    atMost('MB held at once, as the metric says', rounded(most / MB, 1), BUDGET_MB),
    atLeast('large answers that came', replies.filter(({ status }) => status === 200).length, 1),
    exactly('callers of large answers without any', replies.filter(({ status }) => status === 0).length, 0),
  ];
}

async function thread({ url }: GatewayProcess): Promise<readonly Check[]> {
  const { path, body } = toolCalls('a/ok', TOOL_CALLS);
  const bytes = whole(path, body, { key: attacker });
  const attack = Promise.all(Array.from({ length: TOOL_CALLERS }, () => rawCall(url, bytes)));
  const content = 'a '.repeat((LARGE_CHAT_MB * MB) / 2);
  const { status } = await ask({
    url,
    path: PATH,
    body: { model: VICTIM_MODEL, messages: [{ role: 'user', content }] },
    headers: { authorization: `Bearer ${KEYS.victim}` },
    limitMs: CALL_LIMIT_MS,
  });
  await attack;
  return [exactly('status of another account’s large chat beside those of one', status, 200)];
}

/** Each bound off: what it stops must come through, or the checks above prove nothing. */
async function planted(site: Site): Promise<readonly Check[]> {
  const open = await site.gateway({
    pieceBytes: 1,
    pieceCount: NO_COUNT,
    wireRatio: NO_COUNT,
    floodBytes: 1024 * MB,
    floodEvents: NO_COUNT,
  });
  const { status } = await rawCall(open.url, inBytes(PIECES_MB, attacker));
  const [flood] = await flooded(open, 1);
  return [
    exactly('status of a body in pieces of one byte where they are not counted', status, 200),
    exactly('floods that end where they are not counted', flood?.isEnded === true ? 1 : 0, 0),
  ];
}

export async function playShort(stage: Stage, site: Site): Promise<Outcome> {
  const wanted: Limits = { memoryBytes: BUDGET_MB * MB, floodEvents: FLOOD_EVENTS };
  const missing = unknownLimits(wanted);
  const limits = Object.fromEntries(Object.entries(wanted).filter(([name]) => !missing.includes(name)));
  const gateway = await site.gateway(limits);
  const watcher = new URL('victim.ts', import.meta.url);
  const victim = (await Program.start(stage, watcher, gateway.url, KEYS.victim, VICTIM_MODEL)).program;
  victim.say('mark');
  const checks: Check[] = [exactly('settings that do not exist', missing.length, 0)];
  for (const part of [pieces, pipelines, floods, memory, thread].filter(isChosen)) {
    const startedMs = performance.now();
    checks.push(...(await part(gateway)));
    stage.say(`${part.name}: ${rounded((performance.now() - startedMs) / 1000, 1)} s`);
  }
  const seen = await victim.ask<Waits>('end', CALL_LIMIT_MS);
  for (const [failure, count] of Object.entries(seen.failures)) stage.say(`bystander: ${count} × ${failure}`);
  checks.push(
    atLeast('calls of a bystander', seen.count, 1),
    exactly('failed calls of a bystander', failuresOf(seen), 0),
    ...(await planted(site)),
  );
  return { figures: { budgetMb: BUDGET_MB, bystanderCalls: seen.count, bystanderLongestMs: seen.longestMs }, checks };
}
