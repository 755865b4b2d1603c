// M1: clients of this protocol print the last block of an answer. There is no field here for signatures that other
// vendors put on texts: no block follows the text for them, and an empty text that only carries one is not sent. Callers
// never asked for them and their makers do not need them back, so they are no loss.
import { expect, test } from 'vitest';
import type { Event } from '../../canonical/events.ts';
import { targetFacts } from '../dialect.fixture.ts';
import { googleGenerate } from '../google-generate/index.ts';
import { anthropicMessages } from './index.ts';

const GEMINI = targetFacts({ dialect: 'google-generate', family: 'gemini' }, googleGenerate.quirks({}), {});
const context = {
  requestId: 'r',
  model: 'google/g',
  createdAtSeconds: 0,
  responseOptions: { usageInStream: true, withCost: false, hideReasoning: false, logprobs: false },
  sealing: { wrap: () => 'envelope', unwrap: () => undefined, isEnvelope: () => false },
};
const answer = (...parts: readonly object[]) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
});

/** Texts as Gemini signs them: on the text itself, or on an empty one after it. */
const SIGNED: readonly { readonly parts: readonly object[] }[] = [
  { parts: [{ text: 'Hello.', thoughtSignature: 'c2ln' }] },
  { parts: [{ text: 'Hello.' }, { text: '', thoughtSignature: 'c2ln' }] },
];

test.each(SIGNED)('a complete answer ends with its text: $parts', ({ parts }) => {
  const whole = googleGenerate.client.decodeAnswer(answer(...parts) as never, GEMINI);
  const { body, losses } = anthropicMessages.server.encodeAnswer(whole as never, context as never);
  expect(body['content']).toEqual([{ type: 'text', text: 'Hello.' }]);
  expect(losses).toEqual([]);
});

test.each(SIGNED)('a stream ends with its text: $parts', ({ parts }) => {
  const decoder = googleGenerate.client.eventDecoder(GEMINI);
  const events: Event[] = [...parts, { text: '' }].flatMap((part, at) => {
    const chunk = answer(part);
    const { finishReason, ...open } = chunk.candidates[0]!;
    const candidate = at === parts.length ? { ...open, finishReason } : open;
    return [...decoder.push({ data: JSON.stringify({ candidates: [candidate] }) })];
  });
  const encoder = anthropicMessages.server.eventEncoder(context as never);
  const frames = [...events, ...decoder.end()].flatMap((event) => [...encoder.push(event)]);
  const starts = frames.map(({ data }) => JSON.parse(data)).filter(({ type }) => type === 'content_block_start');
  expect(starts.map(({ content_block: { type } }) => type)).toEqual(['text']);
  expect(encoder.losses()).toEqual([]);
});
