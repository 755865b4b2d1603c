import { describe, expect, test } from 'vitest';
import { bodyOf, targetOf } from './body.ts';
import { type Draft, type Mode, newDraft } from './draft.ts';

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } };
const PICTURE = { mime: 'image/png', base64: 'aGk=' };

const draftOf = (mode: Mode, more: Partial<Draft> = {}): Draft => ({ ...newDraft(mode), isStream: false, ...more });

/** One of everything. */
const full = (mode: Mode): Draft =>
  draftOf(mode, {
    system: 'Be brief.',
    turns: [
      { role: 'user', text: 'Hi', pictures: [] },
      { role: 'assistant', text: 'Hello', pictures: [] },
      { role: 'user', text: 'Look', pictures: [PICTURE] },
    ],
    tools: JSON.stringify([{ name: 'weather', description: 'Of a city', parameters: PARAMETERS }]),
    effort: 'low',
    maxTokens: '100',
    temperature: '0.5',
    isStream: true,
  });

describe('a draft with one of everything', () => {
  test('as chat completions', () =>
    expect(bodyOf(full('chat'))).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'weather', description: 'Of a city', parameters: PARAMETERS } }],
      max_completion_tokens: 100,
      temperature: 0.5,
      reasoning_effort: 'low',
      stream: true,
      stream_options: { include_usage: true },
    }));

  test('as responses', () =>
    expect(bodyOf(full('responses'))).toEqual({
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
          ],
        },
      ],
      tools: [{ type: 'function', name: 'weather', description: 'Of a city', parameters: PARAMETERS }],
      max_output_tokens: 100,
      temperature: 0.5,
      reasoning: { effort: 'low', summary: 'auto' },
      store: false,
      stream: true,
    }));

  test('as messages, where thinking counts towards the limit', () =>
    expect(bodyOf(full('messages'))).toEqual({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
            { type: 'text', text: 'Look' },
          ],
        },
      ],
      tools: [{ name: 'weather', description: 'Of a city', input_schema: PARAMETERS }],
      max_tokens: 1124,
      temperature: 0.5,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      stream: true,
    }));

  test('as generate content', () =>
    expect(bodyOf(full('genai'))).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
        { role: 'user', parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
      ],
      tools: [{ functionDeclarations: [{ name: 'weather', description: 'Of a city', parameters: PARAMETERS }] }],
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 0.5,
        thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
      },
    }));
});

test.each<[Mode, object]>([
  ['chat', { messages: [{ role: 'user', content: '' }] }],
  ['responses', { input: [{ role: 'user', content: [{ type: 'input_text', text: '' }] }], store: false }],
  ['messages', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }], max_tokens: 1024 }],
  ['genai', { contents: [{ role: 'user', parts: [{ text: '' }] }] }],
])('%s: what is not set is not sent', (mode, body) => {
  const made = bodyOf(draftOf(mode));
  expect(made).toEqual(body);
  expect(Object.values(made)).not.toContain(undefined);
});

test.each<Mode>(['chat', 'responses', 'messages', 'genai'])('%s: no number, no parameter', (mode) =>
  expect(bodyOf(draftOf(mode, { maxTokens: 'many', temperature: ' ' }))).toEqual(bodyOf(draftOf(mode))),
);

test('pictures and videos are ordered by the last turn', () => {
  const turns = [{ role: 'user', text: 'A road', pictures: [PICTURE] }] as const;
  expect(bodyOf(draftOf('image', { turns, size: '1024x1024' }))).toEqual({ prompt: 'A road', size: '1024x1024' });
  expect(bodyOf(draftOf('video', { turns, seconds: '4', ratio: '16:9' }))).toEqual({
    instances: [{ prompt: 'A road', image: { bytesBase64Encoded: 'aGk=', mimeType: 'image/png' } }],
    parameters: { durationSeconds: 4, aspectRatio: '16:9' },
  });
});

describe('where a body goes', () => {
  const sentTo = (mode: Mode, isStream = false) => targetOf(mode, 'maker/a/b', { x: 1 }, false, isStream);

  test.each<[Mode, string]>([
    ['chat', '/api/v1/chat/completions'],
    ['responses', '/api/v1/responses'],
    ['messages', '/api/anthropic/v1/messages'],
    ['image', '/api/v1/images/generations'],
  ])('%s has its model in the body', (mode, path) =>
    expect(sentTo(mode)).toMatchObject({ path, body: { model: 'maker/a/b', x: 1 } }),
  );

  test('generate content has model and stream in the path', () => {
    const base = '/api/vertex-ai/v1/publishers/maker/models/a%2Fb';
    expect(sentTo('genai')).toEqual({ path: `${base}:generateContent`, headers: {}, body: { x: 1 } });
    expect(sentTo('genai', true).path).toBe(`${base}:streamGenerateContent?alt=sse`);
    expect(sentTo('video').path).toBe(`${base}:predictLongRunning`);
  });

  test('strict is a header', () =>
    expect(targetOf('messages', 'a/b', {}, true, false).headers).toEqual({
      'x-trivium-strict': 'true',
      'anthropic-version': '2023-06-01',
    }));
});

test('each line with something in it is a document, and members left empty are left out', () => {
  const draft = { ...newDraft('rerank'), documents: 'Carson City\n\n Reno\n', best: '1' };
  expect(bodyOf(draft)).toEqual({ query: '', documents: ['Carson City', ' Reno'], top_n: 1 });
  expect(bodyOf(newDraft('transcription'))).toEqual({});
});
