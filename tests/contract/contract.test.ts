// The contract itself: it knows a wrong name, its deviations are needed and explained, and no member lacks a judgement of price.
import type { TruthLog } from '@trivium/simulator';
import { describe, expect, test } from 'vitest';
import { openStand, postChat } from '../support/stand.ts';
import { DEVIATIONS } from './deviations.ts';
import { answerKind, jsonOf, requestKind } from './kinds.ts';
import { unjudgedMembers } from './prices.ts';
import { contractLine } from './report.ts';
import { compileContract, contract, generatedSchemas } from './schemas.ts';
import { complaintOf, hold } from './watch.ts';

type Json = Record<string, unknown>;

const USER = { role: 'user', content: 'Hello' };
const FUNCTION = { type: 'object', properties: {} };
/** A sound body of each kind, and the place of a member to misspell. */
const SOUND: readonly (readonly [kind: string, body: Json, wrong: readonly (readonly string[])[]])[] = [
  [
    'chatRequest',
    {
      model: 'm',
      messages: [USER],
      max_completion_tokens: 5,
      tools: [{ type: 'function', function: { name: 'f', parameters: FUNCTION } }],
    },
    [['max_completion_tokens'], ['messages', '0', 'content'], ['tools', '0', 'function', 'parameters']],
  ],
  [
    'responsesRequest',
    {
      model: 'm',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
      max_output_tokens: 5,
      tools: [{ type: 'function', name: 'f', parameters: FUNCTION, strict: false }],
    },
    [['max_output_tokens'], ['input', '0', 'content', '0', 'text'], ['tools', '0', 'parameters']],
  ],
  [
    'messagesRequest',
    {
      model: 'm',
      max_tokens: 5,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      stop_sequences: ['x'],
      tools: [{ name: 'f', input_schema: FUNCTION }],
    },
    [['max_tokens'], ['stop_sequences'], ['messages', '0', 'content', '0', 'text'], ['tools', '0', 'input_schema']],
  ],
  [
    'generateRequest',
    {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 5 },
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: FUNCTION }] }],
    },
    [
      ['generationConfig', 'maxOutputTokens'],
      ['contents', '0', 'parts', '0', 'text'],
      ['tools', '0', 'functionDeclarations', '0', 'parametersJsonSchema'],
    ],
  ],
  [
    'generateAnswer',
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] },
    [['candidates', '0', 'finishReason'], ['candidates']],
  ],
  ['speechRequest', { model: 'm', input: 'Hello', voice: 'alloy', speed: 1.1 }, [['voice'], ['speed']]],
  [
    'transcriptAnswer',
    { text: 'Hello', usage: { type: 'tokens', input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    [['usage', 'input_tokens']],
  ],
  ['moderationsRequest', { input: 'Hello', model: 'm' }, [['input'], ['model']]],
  ['completionsRequest', { model: 'm', prompt: 'Hello', max_tokens: 5 }, [['max_tokens']]],
  ['videosRequest', { model: 'm', prompt: 'Rain', seconds: '4' }, [['seconds']]],
  ['rerankRequest', { model: 'm', query: 'q', documents: ['a'], top_n: 1 }, [['top_n'], ['documents']]],
  ['voyageRequest', { model: 'm', query: 'q', documents: ['a'], top_k: 1 }, [['top_k']]],
  ['voyageAnswer', { data: [{ index: 0, relevance_score: 1 }] }, [['data', '0', 'relevance_score']]],
  [
    'messagesEvent',
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    [['delta', 'text'], ['index']],
  ],
];

/** A copy whose member at the place has another name. */
function misspelt(body: Json, [name = '', ...rest]: readonly string[]): Json {
  const copy = (Array.isArray(body) ? [...body] : { ...body }) as Json;
  if (rest.length > 0) return Object.assign(copy, { [name]: misspelt(copy[name] as Json, rest) }) as Json;
  const { [name]: value, ...others } = copy;
  return { ...others, [`${name}_`]: value };
}

describe.each(SOUND)('%s', (kind, body, places) => {
  test('a valid body has no problem', () => expect(contract().problems(kind, body)).toEqual([]));
  test.each(places.map((place) => [place.join('.'), place] as const))(
    'a body misspelt at %s has a problem',
    (_, place) => {
      const problems = contract().problems(kind, misspelt(body, place));
      expect(problems.join('\n')).toContain(`${place.at(-1)}_`);
    },
  );
});

test('an encoder that misspells a field fails the run, and the error names the field', async () => {
  const stand = await openStand();
  await postChat(stand, { model: 'anthropic/claude-sonnet-4-5', messages: [USER], max_tokens: 50 });
  const entries = stand.simulator.truth.read();
  const heldAs = (body: (sent: Json) => Json) => {
    const truth = { read: () => entries.map((entry) => ({ ...entry, body: body(entry.body as Json) })) };
    return hold({ truth: truth as unknown as TruthLog }, []);
  };
  expect(heldAs((sent) => sent)).toEqual({ requests: 1, answers: 0, problems: [] });
  const planted = heldAs((sent) => misspelt(sent, ['max_tokens']));
  expect(complaintOf(planted)).toContain('messagesRequest at anthropic: / has a member max_tokens_ (MessagesRequest)');
  await stand.close();
});

test('an answer of a wrong form fails the run, too', () => {
  const sound = { id: 'a', object: 'chat.completion', created: 1, model: 'm', choices: [] };
  expect(contract().problems('chatAnswer', sound)).toEqual([]);
  expect(contract().problems('chatAnswer', { ...sound, created: '1' })).toEqual([
    '/created is string, not number (ChatCompletion)',
  ]);
});

describe('deviations', () => {
  test('each deviation has a reason', () => {
    for (const { why, members } of DEVIATIONS) {
      expect(why).toMatch(/\S/);
      expect(members.length).toBeGreaterThan(0);
    }
  });

  test('a deviation that the types no longer need is out of date', () => {
    const stale = { maker: 'OpenAI', type: 'ChatRequest', members: ['seed'], is: 'extra', why: 'once' } as const;
    expect(() => compileContract([stale])).toThrow(/ChatRequest \(seed\) is out of date: seed is in the type/);
  });
});

test('every field of the vendors’ requests is in a price table, or metered by tokens', () => {
  const unjudged = unjudgedMembers(generatedSchemas());
  expect(unjudged).toEqual([]);
});

test('a field of a newer SDK is unpriced until a table has it', () => {
  const schemas = generatedSchemas();
  const { definitions } = schemas.OpenAI;
  const chat = definitions['ChatRequest'];
  const newer = { ...chat, properties: { ...chat?.properties, turbo: {} } };
  expect(
    unjudgedMembers({ ...schemas, OpenAI: { ...schemas.OpenAI, definitions: { ...definitions, ChatRequest: newer } } }),
  ).toEqual(['OpenAI ChatRequest.turbo']);
});

test('kinds and counts', () => {
  expect(requestKind('/v1beta/models/m:streamGenerateContent')).toBe('generateRequest');
  expect(requestKind('/v1/models')).toBeUndefined();
  expect(requestKind('/v1/rerank', 'voyage')).toBe('voyageRequest');
  expect(requestKind('/v2/rerank', 'cohere')).toBe('rerankRequest');
  expect(requestKind('/v1/rerank', 'jina')).toBeUndefined();
  expect(answerKind('/v1/rerank', 200, '{}')).toBe('rerankAnswer');
  expect(answerKind('/api/v1/responses', 200, 'event: x\ndata: {}\n\n')).toBe('responsesEvent');
  expect(answerKind('/api/v1/responses', 400, '{}')).toBe('responsesError');
  expect(jsonOf('data: {"a":1}\n\ndata: [DONE]\n\n')).toEqual([{ a: 1 }]);
  expect(jsonOf('[{"a":1},{"b":2}]')).toEqual([{ a: 1 }, { b: 2 }]);
  expect(contractLine('2 3 0\n4 5 1\n')).toMatch(/^contract: 6 requests .* 8 answers .* 1 unexplained deviations$/);
});
