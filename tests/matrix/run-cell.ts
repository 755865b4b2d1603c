/** One cell: a scenario in one protocol with a model of one dialect, checked on both ends. */
import { KEY, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';
import { chatCaller } from './callers/chat.ts';
import { genaiCaller } from './callers/genai.ts';
import { messagesCaller } from './callers/messages.ts';
import { responsesCaller } from './callers/responses.ts';
import { problemsOf } from './match.ts';
import { MODELS } from './matrix.ts';
import type { Caller, Cell, Conversation, Inbound, Json, Outbound, Received, Seen } from './meaning.ts';
import { finishFor, type Round, type Scenario, valueFor, wordFor } from './scenario.ts';
import { readConverse } from './upstreams/amazon-converse.ts';
import { readMessages } from './upstreams/anthropic-messages.ts';
import { readGenerate } from './upstreams/google-generate.ts';
import { readChat } from './upstreams/openai-chat.ts';
import { readResponses } from './upstreams/openai-responses.ts';

const CALLERS: Readonly<Record<Inbound, Caller>> = {
  chat: chatCaller,
  messages: messagesCaller,
  genai: genaiCaller,
  responses: responsesCaller,
};
const READERS: Readonly<Record<Outbound, (body: Json) => Received>> = {
  'openai-chat': readChat,
  'anthropic-messages': readMessages,
  'google-generate': readGenerate,
  'openai-responses': readResponses,
  'amazon-converse': readConverse,
};

export type Verdict =
  | { readonly kind: 'carried' }
  /** Translated except for the reported losses. */
  | { readonly kind: 'lossy'; readonly losses: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unspoken'; readonly why: string }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

export async function runCell(stand: Stand, scenario: Scenario, cell: Cell): Promise<Verdict> {
  const unspoken = scenario.unspoken?.[cell.inbound];
  if (unspoken !== undefined) return { kind: 'unspoken', why: unspoken };
  const model = MODELS[cell.outbound][scenario.thinker ? 'thinker' : 'plain'];
  const conversation = CALLERS[cell.inbound].open({ url: stand.url, key: KEY }, model, scenario.ask ?? {});
  const refused = scenario.refused?.(cell);
  if (refused !== undefined) {
    const problems = await refusalProblems(stand, conversation, scenario, wordFor(refused.field, cell), cell);
    return problems.length === 0 ? { kind: 'refused', why: refused.why } : { kind: 'wrong', problems };
  }
  const losses = new Set<string>();
  for (const [at, round] of scenario.rounds.entries()) {
    const problems = await roundProblems(stand, conversation, round, cell);
    if (problems.length > 0) return { kind: 'wrong', problems: problems.map((one) => `round ${at + 1}: ${one}`) };
    if (round.fails?.(cell) !== undefined) return { kind: 'refused', why: 'the vendor answers with an error' };
    for (const word of round.losses?.(cell) ?? []) losses.add(wordFor(word, cell));
  }
  return losses.size === 0 ? { kind: 'carried' } : { kind: 'lossy', losses: [...losses] };
}

type Failure = { readonly status?: number; readonly message?: string };

async function hear(conversation: Conversation, { stream }: Cell): Promise<Seen | { readonly failure: Failure }> {
  try {
    return await conversation.hear(stream);
  } catch (error) {
    return { failure: error as Failure };
  }
}

async function roundProblems(
  stand: Stand,
  conversation: Conversation,
  round: Round,
  cell: Cell,
): Promise<readonly string[]> {
  for (const said of round.say) conversation.say(said);
  if (round.play !== undefined) stand.simulator.arm(round.play);
  const [before, records] = [stand.simulator.truth.read().length, stand.records.length];
  const seen = await hear(conversation, cell);
  const entries = stand.simulator.truth.read().slice(before);
  const [entry] = entries;
  const expectedFailure = round.fails?.(cell);
  if ('failure' in seen) {
    const { status, message = '' } = seen.failure;
    if (expectedFailure !== undefined) {
      await disarm(stand);
      return problemsOf({ status, words: message }, expectedFailure, 'failure');
    }
    await disarm(stand);
    return [`the SDK failed: ${status} ${message}; upstream: ${entry?.refusal ?? 'not refused'}`];
  }
  if (expectedFailure !== undefined) return ['the SDK saw no failure'];
  if (entry === undefined || entries.length > 1) return [`${entries.length} upstream requests`];
  await waitUntil('a record of the request', () => stand.records.length > records);
  const reported = (stand.records.at(-1)?.losses ?? []).map(({ path }) => path);
  const expected = new Set((round.losses?.(cell) ?? []).map((word) => wordFor(word, cell)));
  const received = READERS[cell.outbound](entry.body as Json);
  return [
    ...problemsOf({ refusal: entry.refusal, status: entry.status }, { refusal: undefined, status: 200 }, 'upstream'),
    ...problemsOf(received, valueFor(round.upstream, cell), 'upstream'),
    ...problemsOf(seen, valueFor(round.caller, cell), 'caller'),
    ...problemsOf(seen.finish, finishFor(valueFor(round.finish, cell), cell), 'caller.finish'),
    ...problemsOf([...new Set(reported)].sort(), [...expected].sort(), 'losses'),
    ...(round.upstreamText?.(cell) ?? []).flatMap((pattern) => problemsOf(entry.bodyText, pattern, 'upstream body')),
  ];
}

/** Removes an unused instruction, which would affect the next cell. */
const disarm = (stand: Stand): Promise<unknown> => fetch(`${stand.simulator.url}/_simulator/arm`, { method: 'DELETE' });

async function refusalProblems(
  stand: Stand,
  conversation: Conversation,
  { rounds }: Scenario,
  field: string,
  cell: Cell,
): Promise<readonly string[]> {
  const before = stand.simulator.truth.read().length;
  for (const said of rounds[0]?.say ?? []) conversation.say(said);
  const seen = await hear(conversation, cell);
  if (!('failure' in seen)) return ['the request was served'];
  const { status, message } = seen.failure;
  return [
    ...(status === 400 ? [] : [`refused with ${status}: ${message}`]),
    ...(message?.includes(field) ? [] : [`the refusal does not name ${field}: ${message}`]),
    ...(stand.simulator.truth.read().length === before ? [] : ['the upstream was asked all the same']),
  ];
}
