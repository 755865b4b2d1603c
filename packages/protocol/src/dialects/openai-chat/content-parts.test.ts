import { describe, expect, test } from 'vitest';
import type { Block } from '../../canonical/content.ts';
import { fold } from '../../stream/fold.ts';
import { runToEnd, targetFacts } from '../dialect.fixture.ts';
import { decodeAnswer } from './decode-answer.ts';
import { eventDecoder } from './decode-stream.ts';
import { chatQuirks } from './quirks.ts';

const target = targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks({ reasoningRead: ['thinking-parts'] }));
const thought = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
const said = (text: string) => ({ type: 'text', text });

/** The result of the same content, complete and streamed with one chunk per part. */
function bothWays(parts: readonly object[]): (readonly Block[] | undefined)[] {
  const whole = decodeAnswer(
    JSON.parse(JSON.stringify({ choices: [{ message: { content: parts }, finish_reason: 'stop' }] })),
    target,
  );
  const pieces = [...parts.map((part) => ({ delta: { content: [part] } })), { delta: {}, finish_reason: 'stop' }];
  const frames = pieces.map((choice) => ({ data: JSON.stringify({ choices: [choice] }) }));
  const streamed = fold(runToEnd(eventDecoder(target), frames));
  return [whole, streamed].map(({ candidates }) => candidates[0]?.blocks);
}

describe('content in parts, complete or streamed', () => {
  test('reasoning parts are thinking and text parts are text', () => {
    const blocks = [
      { kind: 'thinking', text: 'Let me see.', form: 'full' },
      { kind: 'text', text: 'It is 4.' },
    ];
    expect(bothWays([thought('Let me '), thought('see.'), said('It is '), said('4.')])).toEqual([blocks, blocks]);
  });

  test('parts of other types are ignored', () => {
    const blocks = [{ kind: 'text', text: 'x' }];
    expect(bothWays([{ type: 'reference', text: 'no' }, said('x'), { type: 'thinking' }])).toEqual([blocks, blocks]);
  });
});
