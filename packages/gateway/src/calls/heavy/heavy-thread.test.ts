// S1: a text parsed on the thread means the same as one parsed here, and a text the thread cannot parse affects no
// other request.
import { GatewayError } from '@trivium/protocol/canonical';
import { findAnyDialect, hasCallers, type TargetFacts } from '@trivium/protocol/dialects';
import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { afterAll, describe, expect, test } from 'vitest';
import { MEMORY_FACTOR } from '../../kernel/memory.ts';
import { MemoryBook } from '../../money/limits/memory-book.ts';
import { understandBody } from '../entry/understand.ts';
import type { HeavyRequest, HeavyTarget } from '../heavy-work.ts';
import { foresee, laneFor } from '../lanes/choose-lane.ts';
import { textAnswer } from '../lanes/whole.ts';
import { sealingFor } from '../seals/envelopes.ts';
import { HeavyThreads } from './heavy-threads.ts';

const KEYS = ['a-key-to-sign-seals-with'];
const lost: string[] = [];
const thread = new HeavyThreads({ onLost: (problem) => lost.push(problem) });
const heavy = thread.with(KEYS);
afterAll(() => thread.close());

const many = <T>(make: (index: number) => T): T[] => Array.from({ length: 300 }, (_, index) => make(index));
const turns = many((index) => ({ role: index % 2 ? 'assistant' : 'user', content: `turn ${index}` }));
const user = { role: 'user', content: 'last' };
const BODIES: Readonly<Record<string, object>> = {
  'openai-chat': { model: 'm', messages: [...turns, user], metadata: { a: 'b', c: 1 }, unknown_member: [1, 2] },
  'openai-responses': { model: 'm', input: [...turns, user], instructions: 'be brief', max_output_tokens: 9 },
  'anthropic-messages': { model: 'm', max_tokens: 7, messages: [...turns, user], metadata: { user_id: 'u' } },
  'google-generate': {
    contents: many((index) => ({ role: index % 2 ? 'model' : 'user', parts: [{ text: 't' }] })).slice(0, 199),
  },
  'openai-embeddings': { model: 'm', input: many((index) => `text ${index}`) },
  'openai-images': { model: 'm', prompt: 'a picture', n: 2 },
};
const TEXT = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-generate'];

function requestOf(dialectId: string, body: object | string, id = `of ${dialectId}`): HeavyRequest {
  return {
    id,
    text: typeof body === 'string' ? body : JSON.stringify(body),
    dialectId: callers(dialectId).id,
    accountId: 'account',
    headers: new Map([['anthropic-version', '2023-06-01']]),
    head: { model: 'm', stream: false },
    jsonBounds: DEFAULT_JSON_BOUNDS,
  };
}

function callers(dialectId: string) {
  const dialect = findAnyDialect(dialectId as never);
  if (dialect === undefined || !hasCallers(dialect)) throw new Error(dialectId);
  return dialect;
}

function targetOf(dialectId: string): HeavyTarget {
  const dialect = callers(dialectId);
  const facts = {
    upstreamModel: 'theirs',
    model: {
      maxOutputTokens: undefined,
      temperature: true,
      tools: true,
      structuredOutput: true,
      thinking: { kind: 'none', canDisable: false, levels: [] },
    },
    quirks: dialect.quirks({}),
    sealOwner: { dialect: dialect.id, family: 'f' },
  } as unknown as TargetFacts;
  return { dialectId: dialect.id, facts };
}

/** As it is parsed without a thread. */
function here({ dialectId, text, head, headers, accountId }: HeavyRequest) {
  const header = (name: string): string | undefined => headers.get(name)?.toString();
  const read = understandBody(callers(dialectId), text, DEFAULT_JSON_BOUNDS, {
    ...head,
    header,
    sealing: sealingFor(KEYS)(accountId),
  });
  return { ...read, text, strict: false, caller: { accountId } };
}

const sideOf = ({ dialectId, facts }: HeavyTarget) => ({ dialect: callers(dialectId), facts });

describe('a body', () => {
  test.each(Object.entries(BODIES))('of %s is understood as without a thread', async (dialectId, body) => {
    const request = requestOf(dialectId, body);
    const opened = await heavy.run('understand', [request]);
    const { understanding, members, dialect } = here(request);
    expect(opened.members).toEqual(members);
    expect(opened.dialectId).toBe(dialect.id);
    const { model, stream, responseOptions, losses, maxOutputTokens, metadata } = understanding;
    expect(opened.understanding).toMatchObject({ model, stream, responseOptions, losses, maxOutputTokens });
    expect(opened.understanding.metadata).toEqual(metadata);
    expect(opened.figures.inputTokens).toBeGreaterThan(0);
  });

  test.each(TEXT.flatMap((from) => TEXT.map((to) => [from, to] as const)))(
    '%s is written for %s as without a thread',
    async (from, to) => {
      const request = requestOf(from, BODIES[from] ?? {});
      const target = targetOf(to);
      const { bare: _, ...lane } = await laneFor(here(request), sideOf(target), {});
      expect(await heavy.run('lane', [request, target])).toEqual(lane);
      expect(await heavy.run('foresee', [request, target, false])).toEqual(
        foresee(here(request), sideOf(target), false),
      );
    },
  );

  test('that is invalid is refused with the error of its dialect', async () => {
    const wrong = requestOf('openai-chat', { model: 'm', messages: [{ role: 'nobody' }] }, 'wrong');
    await expect(heavy.run('understand', [wrong])).rejects.toThrow("'messages[0].role' must be one of");
    await expect(heavy.run('understand', [requestOf('openai-chat', '{"model"', 'no json')])).rejects.toThrow(
      GatewayError,
    );
  });

  test('is counted', async () => {
    const request = requestOf(
      'anthropic-messages',
      { ...BODIES['anthropic-messages'], max_tokens: undefined },
      'count',
    );
    const { model, inputTokens } = await heavy.run('count', [request]);
    expect(model).toBe('m');
    expect(inputTokens).toBeGreaterThan(1000);
  });
});

describe('ports', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const body = {
    model: 'm',
    messages: [user, { role: 'assistant', tool_calls: [call] }, { role: 'tool', tool_call_id: 'c1', content: 'r' }],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
  };
  test('seals are read from the memory of the gateway, and another job runs meanwhile', async () => {
    let asked: readonly string[] = [];
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const recall = async (_: string, ids: readonly string[]) => {
      asked = ids;
      await answered;
      return new Map();
    };
    const lane = heavy.run('lane', [requestOf('openai-chat', body, 'seals'), targetOf('anthropic-messages')], {
      ports: { seals: { recall } },
    });
    await heavy.run('understand', [requestOf('openai-embeddings', BODIES['openai-embeddings'] ?? {}, 'meanwhile')]);
    answer();
    expect((await lane).kind).toBe('translated');
    expect(asked).toEqual(['c1']);
  });
  test('a port that fails fails the job with its fault', async () => {
    const recall = async (): Promise<never> => {
      throw new GatewayError({ kind: 'overloaded', message: 'not now' });
    };
    const lane = heavy.run('lane', [requestOf('openai-chat', body, 'fails'), targetOf('anthropic-messages')], {
      ports: { seals: { recall } },
    });
    await expect(lane).rejects.toMatchObject({ fault: { kind: 'overloaded', message: 'not now' } });
  });
});

test('an answer is translated as without a thread', async () => {
  const body = JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    model: 'theirs',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
  const target = targetOf('openai-chat');
  const responseOptions = { usageInStream: false, withCost: false, hideReasoning: false, logprobs: false };
  const context = { requestId: 'r', model: 'm', createdAtSeconds: 1, responseOptions };
  for (const [dialectId, kind] of [
    ['anthropic-messages', 'translated'],
    ['openai-chat', 'verbatim'],
  ] as const) {
    const answered = await heavy.run('answer', [
      {
        body,
        dialectId,
        target,
        lane: { kind },
        context,
        accountId: 'a',
        rates: undefined,
        jsonDepth: 64,
        keepsSeals: true,
      },
    ]);
    const { produced, ...whole } = answered;
    expect(produced.producedCharacters).toBe(5);
    expect(whole).toEqual(textAnswer(callers(dialectId), sideOf(target), { kind }, context, body, 64));
  }
});

describe('bounds', () => {
  const request = requestOf('openai-chat', BODIES['openai-chat'] ?? {}, 'bounds');
  test('the body of a disconnected caller is not parsed', async () => {
    const run = heavy.run('understand', [request], { isWanted: () => false });
    await expect(run).rejects.toMatchObject({ fault: { kind: 'cancelled' } });
  });
  test('a job is refused if the queue is full', async () => {
    const runs = Array.from({ length: 40 }, () =>
      heavy.run('understand', [request]).then(
        () => 'read',
        () => 'refused',
      ),
    );
    const outcomes = await Promise.all(runs);
    expect(outcomes.filter((outcome) => outcome === 'read')).toHaveLength(33);
  });
  test('accounts take turns: one with a full queue neither refuses nor delays another', async () => {
    const done: string[] = [];
    const run = (accountId: string, index: number) => {
      const own = { ...request, id: `${accountId} ${index}`, accountId };
      const note = (how: string) => () => void done.push(`${accountId} ${how}`);
      return heavy.run('understand', [own]).then(note('read'), note('refused'));
    };
    const many = Array.from({ length: 40 }, (_, index) => run('many', index));
    const few = Array.from({ length: 5 }, (_, index) => run('few', index));
    await Promise.all(few);
    const readOfMany = done.filter((each) => each === 'many read').length;
    expect(done.filter((each) => each === 'few read')).toHaveLength(5);
    expect(readOfMany).toBeLessThanOrEqual(7);
    await Promise.all(many);
    expect(done.filter((each) => each === 'many refused')).toHaveLength(7);
  });
  test('the copies on the threads are in the book of memory until each job ends, however it ends', async () => {
    const book = new MemoryBook(() => ({ memoryBytes: 1000, answerBytes: 1000 }));
    const own = new HeavyThreads({ onLost: () => {}, memory: book, threads: 2 });
    const work = own.with(KEYS);
    const good = Array.from({ length: 4 }, (_, index) => work.run('understand', [{ ...request, id: `good ${index}` }]));
    const bad = work.run('understand', [requestOf('openai-chat', '{"model"', 'bad')]);
    expect(book.held.thread).toBe(MEMORY_FACTOR.thread * request.text.length);
    await Promise.all(good);
    await expect(bad).rejects.toThrow(GatewayError);
    expect(book.total).toBe(0);
    await own.close();
  });
  test('a thread that does not finish is terminated, and its jobs fail', async () => {
    const own = new HeavyThreads({ onLost: (problem) => lost.push(problem), maxJobMs: 1, threads: 1 });
    const work = own.with(KEYS);
    for (const ended of [1, 2]) {
      await expect(work.run('understand', [request])).rejects.toMatchObject({ fault: { kind: 'too-large' } });
      expect(lost).toHaveLength(ended);
    }
    await own.close();
    await expect(work.run('understand', [request])).rejects.toMatchObject({ fault: { kind: 'overloaded' } });
  });
});
