import type { Usage } from '@trivium/protocol/canonical';
import { findAnyDialect, findDialect } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import type { Target } from '../../kernel/target.ts';
import { EndpointRates } from '../../money/prices/rates.ts';
import type { Planned } from '../request.ts';
import { cappedEstimate, checkedBill, checkUsage, finalMostCharacters, firstMostCharacters } from './bill.ts';

const rates = new EndpointRates({ prices: {}, otherPrices: [] }, 'v').rates();
const chat = findDialect('openai-chat')!;

type RequestOptions = { readonly cap?: number; readonly body?: object; readonly passHeaders?: true };
function asked({ cap, body = {}, passHeaders }: RequestOptions = {}): Planned {
  const wire = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: cap, ...body };
  const text = JSON.stringify(wire);
  const understanding = chat.server.understand(JSON.parse(text));
  return {
    text,
    understanding: { ...understanding, ...(passHeaders && { passHeaders: [['anthropic-beta', 'x']] }) },
  } as unknown as Planned;
}

type Host = { readonly thinks?: boolean; readonly beside?: boolean; readonly modalities?: readonly string[] };
const target = ({ thinks = false, beside = false, modalities }: Host = {}): Target =>
  ({
    dialect: chat,
    facts: {
      quirks: chat.quirks({ reasoningBesideCap: beside }),
      model: {
        thinking: { kind: thinks ? 'effort' : 'none' },
        ...(modalities !== undefined && { outputModalities: modalities }),
      },
    },
    route: { contextLength: 128_000, maxOutputTokens: 16_384 },
  }) as unknown as Target;

const check = (options: RequestOptions, host: Host, usage: Usage, characters = 11) =>
  checkUsage(
    asked(options),
    target(host),
    { usage, produced: () => ({ producedCharacters: characters, producedPieces: 1 }) },
    rates,
  );

const LIE = 1_000_000;
const FUNCTIONS = { tools: [{ type: 'function', function: { name: 'f' } }] };

describe('text', () => {
  test.each<[string, RequestOptions, Host, Usage, number, Usage, readonly string[]]>([
    [
      'S6: beyond the cap',
      { cap: 50 },
      {},
      { completion: LIE },
      11,
      { completion: 33 },
      ['output-cap', 'answer-length'],
    ],
    [
      'beyond the cap, hidden in thoughts',
      { cap: 50 },
      { thinks: true },
      { internalReasoning: LIE },
      11,
      { internalReasoning: 50 },
      ['output-cap'],
    ],
    [
      'beyond the model, without a cap',
      {},
      { thinks: true },
      { completion: LIE },
      11,
      { completion: 16_384 },
      ['output-cap'],
    ],
    [
      'beyond the length, within the cap',
      { cap: 9000 },
      {},
      { completion: 8000 },
      11,
      { completion: 33 },
      ['answer-length'],
    ],
    ['an empty answer', {}, {}, { completion: 300 }, 0, { completion: 0 }, ['answer-length']],
    [
      'thinking is not in the length',
      { cap: 9000 },
      { thinks: true },
      { completion: 8000 },
      11,
      { completion: 8000 },
      [],
    ],
    ['a token for each byte', {}, {}, { completion: 6000 }, 2000, { completion: 6000 }, []],
    ['names of tools are in no text', { body: FUNCTIONS }, {}, { completion: 4000 }, 0, { completion: 4000 }, []],
    [
      'a search writes queries that are in no text',
      { body: { web_search_options: {} } },
      {},
      { completion: 4000 },
      11,
      { completion: 4000 },
      [],
    ],
    [
      'a stop sequence is made and not sent',
      { body: { stop: ['x'.repeat(50)] } },
      {},
      { completion: 450 },
      0,
      { completion: 450 },
      [],
    ],
    [
      'hosts that cap without thoughts',
      { cap: 50 },
      { thinks: true, beside: true },
      { completion: 10, internalReasoning: 60_000 },
      11,
      { completion: 10, internalReasoning: 60_000 },
      [],
    ],
    [
      '… whose window holds all the same',
      { cap: 50 },
      { thinks: true, beside: true },
      { internalReasoning: LIE },
      11,
      { internalReasoning: 128_000 },
      ['output-cap'],
    ],
    [
      '… that do not think',
      { cap: 50 },
      { beside: true },
      { completion: 5000 },
      11,
      { completion: 33 },
      ['output-cap', 'answer-length'],
    ],
    [
      'images are no text, and no cap stops them',
      { cap: 50 },
      { modalities: ['text', 'image'] },
      { completion: 10, outputImage: 1290 },
      11,
      { completion: 10, outputImage: 1290 },
      [],
    ],
    [
      'input beyond the window',
      {},
      {},
      { prompt: LIE, completion: 3 },
      11,
      { prompt: 72, completion: 3 },
      ['context-window', 'input-length'],
    ],
    [
      'cached input, too',
      {},
      {},
      { prompt: 5, inputCacheRead: LIE },
      11,
      { prompt: 5, inputCacheRead: 67 },
      ['context-window', 'input-length'],
    ],
    ['B6: input beyond what the text can be', {}, {}, { prompt: 100_000 }, 11, { prompt: 72 }, ['input-length']],
    ['… not a template around it', {}, {}, { prompt: 4000 }, 11, { prompt: 4000 }, []],
    [
      '… nor a text of two tokens per character',
      { body: { messages: [{ role: 'user', content: 'Ԁ'.repeat(20_000) }] } },
      {},
      { prompt: 40_000 },
      11,
      { prompt: 40_000 },
      [],
    ],
    [
      '… nor a file',
      {
        body: {
          messages: [
            {
              role: 'user',
              content: [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }],
            },
          ],
        },
      },
      {},
      { prompt: 100_000 },
      11,
      { prompt: 100_000 },
      [],
    ],
    [
      '… nor what a server tool reads',
      { body: { web_search_options: {} } },
      {},
      { prompt: 100_000 },
      11,
      { prompt: 100_000 },
      [],
    ],
    ['a window for each search', {}, {}, { prompt: 500_000, webSearch: 3 }, 11, { prompt: 500_000, webSearch: 3 }, []],
    ['… and no more', {}, {}, { prompt: LIE, webSearch: 3 }, 11, { prompt: 512_000, webSearch: 3 }, ['context-window']],
    ['a beta may open a larger window', { passHeaders: true }, {}, { prompt: LIE }, 11, { prompt: LIE }, []],
    [
      'a compaction runs before the answer',
      { body: { context_management: {} } },
      {},
      { prompt: 250_000 },
      11,
      { prompt: 250_000 },
      [],
    ],
    [
      'searches beyond belief',
      { body: { web_search_options: {} } },
      {},
      { webSearch: LIE },
      11,
      { webSearch: 128 },
      ['search-count'],
    ],
  ])('%s', (_, options, host, usage, characters, charged, why) => {
    expect(check(options, host, usage, characters)).toEqual({ usage: charged, why });
  });

  test('plausible usage does not cause the request to be parsed again', () => {
    const planned = asked({ cap: 50 });
    const refuse = (): never => {
      throw new Error('read again');
    };
    const unread = { ...planned, understanding: { ...planned.understanding, call: refuse } } as unknown as Planned;
    expect(checkUsage(unread, target(), { usage: { prompt: 9, completion: 50 }, produced: refuse }, rates).why).toEqual(
      [],
    );
  });

  test('a request that cannot be parsed again is bounded by the most it could have asked for', () => {
    const planned = asked({ cap: 50 });
    const call = (): never => {
      throw new Error('no such call');
    };
    const unreadable = { ...planned, understanding: { ...planned.understanding, call } } as unknown as Planned;
    const reported = { usage: { completion: LIE }, produced: () => ({ producedCharacters: 0, producedPieces: 0 }) };
    expect(checkUsage(unreadable, target(), reported, rates).usage).toEqual({ completion: 50 * 32 * 8 });
  });
});

test('a bill keeps the reported usage beside the charged usage', () => {
  const reading = { usage: { prompt: 9, completion: LIE }, reported: true, producedCharacters: 11, producedPieces: 1 };
  expect(checkedBill(asked({ cap: 50 }), target(), reading, rates)).toMatchObject({
    usage: { prompt: 9, completion: 33 },
    estimated: false,
    suspect: { why: ['output-cap', 'answer-length'], reported: { prompt: 9, completion: LIE } },
  });
});

test('an answer of no tokens is charged by our own count, and flagged', () => {
  const zero = { prompt: 0, completion: 0 };
  const reading = { usage: zero, reported: true, producedCharacters: 400, producedPieces: 40 };
  expect(checkedBill(asked(), target(), reading, rates)).toMatchObject({
    usage: { prompt: 9, completion: 56 },
    estimated: true,
    suspect: { why: ['no-tokens'], reported: zero },
  });
  const silent = { usage: zero, reported: true, producedCharacters: 0, producedPieces: 0 };
  expect(checkedBill(asked(), target(), silent, rates)).toMatchObject({ usage: zero, estimated: false });
});

test('our own estimate is charged up to the cap, and is not flagged as implausible', () => {
  const reading = { usage: {}, reported: false, producedCharacters: 90_000, producedPieces: 40_000 };
  const bill = checkedBill(asked({ cap: 50 }), target(), reading, rates);
  expect(bill).toMatchObject({ usage: { completion: 50 }, estimated: true });
  expect(bill.suspect).toBeUndefined();
  expect(cappedEstimate(asked({ cap: 50, body: { web_search_options: {} } }), target(), 40_000)).toBe(50 * 32);
});

test('a streamed text is checked against its cap first, and against the whole request before it is cut', () => {
  expect(firstMostCharacters(asked({ cap: 50 }), target())).toBe(7424);
  expect(finalMostCharacters(asked({ cap: 50 }), target(), 0)).toBe(7424);
  expect(finalMostCharacters(asked({ cap: 50 }), target(), 2)).toBe(50 * 3 * 128 + 1024);
  expect(firstMostCharacters(asked(), { ...target(), route: { contextLength: 0, maxOutputTokens: 0 } } as Target)).toBe(
    Number.POSITIVE_INFINITY,
  );
});

describe('embeddings', () => {
  const dialect = findAnyDialect('openai-embeddings')!;
  const embed = (input: unknown, prompt: number) => {
    const text = JSON.stringify({ model: 'm', input });
    const understanding = dialect.operation === 'embed' ? dialect.server.understand(JSON.parse(text)) : undefined;
    const produced = () => ({ producedCharacters: 0, producedPieces: 0 });
    return checkUsage(
      { text, understanding } as unknown as Planned,
      { dialect } as unknown as Target,
      { usage: { prompt }, produced },
      rates,
    );
  };

  test.each<[string, unknown, number, number, readonly string[]]>([
    ['tokens up to the bytes', '你好', 6, 6, []],
    ['more than the bytes and the overhead', 'Hello', LIE, 5, ['input-length']],
    ['of several inputs', ['Hello', '你好'], LIE, 11, ['input-length']],
    ['token ids are counted as they are', [[1, 2, 3]], LIE, 3, ['input-length']],
  ])('%s', (_, input, prompt, charged, why) => {
    expect(embed(input, prompt)).toEqual({ usage: { prompt: charged }, why });
  });
});
