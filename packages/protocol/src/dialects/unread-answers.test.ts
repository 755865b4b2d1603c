/**
 * Members that hosts add to an answer and other formats have no field for are losses, in complete answers and in
 * streams.
 */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../canonical/json.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { messagesTarget } from './anthropic-messages/target.fixture.ts';
import { runToEnd, targetFacts, USAGE_WANTED } from './dialect.fixture.ts';
import type { AnswerContext, Dialect, Frame, TargetFacts } from './dialect.ts';
import { target as generateTarget } from './google-generate/answer.fixture.ts';
import { googleGenerate } from './google-generate/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { chatQuirks } from './openai-chat/quirks.ts';
import { openaiResponses } from './openai-responses/index.ts';
import { responsesTarget } from './openai-responses/target.fixture.ts';
import { translateAnswer } from './pairing.ts';

const context: AnswerContext = { requestId: 'r', model: 'o/m', createdAtSeconds: 1, responseOptions: USAGE_WANTED };

function lossesOf(dialect: Dialect, facts: TargetFacts, body: JsonObject, frames: readonly Frame[]): string[][] {
  const whole = translateAnswer(body, { dialect, facts }, anthropicMessages, context).losses;
  const decoder = dialect.client.eventDecoder(facts);
  runToEnd(decoder, frames);
  return [whole, decoder.losses()].map((losses) => losses.map(({ path }) => path));
}

describe('chat', () => {
  const facts = targetFacts({ dialect: 'openai-chat', family: 'f', scope: 's' }, chatQuirks({}));
  const said = (beside: JsonObject, inside: JsonObject): string[][] =>
    lossesOf(
      openaiChat,
      facts,
      {
        id: 'c',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', ...inside }, finish_reason: 'stop' }],
        ...beside,
      },
      [
        { data: JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'Hello' } }], ...beside }) },
        { data: JSON.stringify({ id: 'c', choices: [{ index: 0, delta: inside, finish_reason: 'stop' }], ...beside }) },
      ],
    );
  const web = { type: 'url_citation', url_citation: { url: 'https://a.example', start_index: 0, end_index: 5 } };

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['nothing of the kind', {}, {}, []],
    ['empty lists', { citations: [], search_results: [], images: [] }, { executed_tools: [], annotations: [] }, []],
    ['sources beside the text (Perplexity)', { citations: ['https://a.example'] }, {}, ['citations']],
    ['results of a search (Perplexity)', { search_results: [{ url: 'https://a.example' }] }, {}, ['citations']],
    [
      'pictures and questions (Perplexity)',
      { images: [{}], related_questions: ['?'] },
      {},
      ['images', 'related_questions'],
    ],
    ['tools the host ran (Groq)', {}, { executed_tools: [{ type: 'search' }] }, ['executed_tools']],
    ['annotations of files', {}, { annotations: [web, { type: 'file_citation', file_id: 'f' }] }, ['citations']],
    ['annotations of the web', {}, { annotations: [web] }, []],
  ])('%s', (_what, beside, inside, paths) => {
    expect(said(beside, inside)).toEqual([paths, paths]);
  });
});

describe('Responses', () => {
  const said = (annotations: JsonObject[], asEvents: boolean): string[][] => {
    const part = { type: 'output_text', text: 'Hello', annotations };
    const item = { id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [part] };
    const response = { id: 'r', status: 'completed', output: [item] };
    const place = { output_index: 0, content_index: 0 };
    const events: JsonObject[] = [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.output_text.delta', ...place, delta: 'Hello' },
      ...(asEvents
        ? annotations.map((annotation) => ({ type: 'response.output_text.annotation.added', ...place, annotation }))
        : []),
      { type: 'response.completed', response: asEvents ? { ...response, output: [] } : response },
    ];
    return lossesOf(
      openaiResponses,
      responsesTarget(),
      response,
      events.map((event) => ({ data: JSON.stringify(event) })),
    );
  };
  const web = { type: 'url_citation', url: 'https://a.example', start_index: 0, end_index: 5 };

  test.each([false, true])('file citations, in events of their own: %s', (asEvents) => {
    expect(said([], asEvents)).toEqual([[], []]);
    expect(said([web], asEvents)).toEqual([[], []]);
    for (const type of ['file_citation', 'container_file_citation', 'file_path'])
      expect(said([web, { type, file_id: 'file_1', index: 3 }], asEvents)).toEqual([['citations'], ['citations']]);
  });
});

describe('generate content', () => {
  const cited = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ startIndex: 0, endIndex: 5, uri: `https://a.example/${at}` }));
  const said = (...citations: JsonObject[][]): string[][] => {
    const end = { content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' };
    const whole = { candidates: [{ ...end, citationMetadata: { citations: citations.flat() } }] };
    const chunks = citations.map((each) => ({ candidates: [{ ...end, citationMetadata: { citations: each } }] }));
    const frames = chunks.map((each) => ({ data: JSON.stringify(each) }));
    return lossesOf(googleGenerate, generateTarget(), whole, frames);
  };

  test('as many citations as are read are no loss, however often they are sent; one more is', () => {
    const [more = {}] = cited(501).slice(500);
    expect(said(cited(500))).toEqual([[], []]);
    expect(said(cited(500), [more])).toEqual([['citations'], ['citations']]);
    expect(said(cited(499), cited(500).slice(499), [more])).toEqual([['citations'], ['citations']]);
    expect(said(cited(300), cited(300))[1]).toEqual([]);
  });

  test('citations without an address or a range', () => {
    expect(said([{ endIndex: 5, title: 'A book' }])).toEqual([['citations'], ['citations']]);
    expect(said([{ uri: 'https://a.example' }])).toEqual([['citations'], ['citations']]);
  });
});

describe('messages', () => {
  const said = (citations: JsonObject[], atStart: boolean): string[][] => {
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', usage: {} };
    const text = { type: 'text', text: '', citations: atStart ? citations : [] };
    const events: JsonObject[] = [
      { type: 'message_start', message: { ...message, content: [] } },
      { type: 'content_block_start', index: 0, content_block: text },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      ...(atStart ? [] : citations).map((citation) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'citations_delta', citation },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ];
    return lossesOf(
      anthropicMessages,
      messagesTarget(),
      { ...message, content: [{ type: 'text', text: 'Hello', citations }], stop_reason: 'end_turn' },
      events.map((event) => ({ data: JSON.stringify(event) })),
    );
  };
  const web = { type: 'web_search_result_location', cited_text: 'x', url: 'https://a.example', encrypted_index: 'e' };

  test.each([false, true])('citations of an unknown type, in the first event of their text: %s', (atStart) => {
    expect(said([web], atStart)).toEqual([[], []]);
    expect(said([web, { ...web, type: 'novel_location' }], atStart)).toEqual([['citations'], ['citations']]);
  });
});

describe('messages sent back by the caller', () => {
  const lossesIn = (dialect: Dialect, body: JsonObject): string[] =>
    (dialect.server.understand(body).unreadMembers?.(false) ?? []).map(({ path }) => path);
  const file = { type: 'file_citation', file_id: 'file_1', index: 3 };

  test('file annotations are lost', () => {
    const text = { type: 'output_text', text: 'Hello', annotations: [file] };
    const input = [
      { role: 'user', content: 'Hi' },
      { type: 'message', role: 'assistant', content: [text] },
    ];
    expect(lossesIn(openaiResponses, { model: 'o/m', input })).toEqual(['input.content.annotations']);
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello', annotations: [file] },
    ];
    expect(lossesIn(openaiChat, { model: 'o/m', messages })).toEqual(['messages.annotations']);
  });
});

describe('the name of a schema', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const call = openaiChat.server
    .understand({
      model: 'o/m',
      messages: [{ role: 'user', content: 'Hi' }],
      response_format: { type: 'json_schema', json_schema: { name: 'place', description: 'A place.', schema } },
    })
    .call();

  test('becomes its title at hosts without a field for it', () => {
    const owner = { dialect: 'anthropic-messages', family: 'f', scope: 's' } as const;
    const facts = targetFacts(owner, anthropicMessages.quirks({}), { maxOutputTokens: 100 });
    const { body, losses } = anthropicMessages.client.encodeCall(call, facts);
    expect(JSON.stringify(body)).toContain('"title":"place","description":"A place."');
    expect(losses).toEqual([]);
  });
});
