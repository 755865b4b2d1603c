import { describe, expect, test } from 'vitest';
import { faultOfAnswer, faultOfStream } from './answer-check.ts';

const answer = (content: string, finish: string | null, completionTokens: number): string =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
    usage: { completion_tokens: completionTokens },
  });

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const content = event({ choices: [{ index: 0, delta: { content: 'T0000001389928603572' }, finish_reason: null }] });
const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const usage = event({ choices: [], usage: { completion_tokens: 200 } });
const done = 'data: [DONE]\n\n';

describe('faultOfAnswer', () => {
  test('accepts the whole answer of the upstream', () => {
    expect(faultOfAnswer(answer('a'.repeat(690), 'stop', 140))).toBeUndefined();
  });

  test('names what is missing', () => {
    expect(faultOfAnswer('{"error":{"message":"no"}}')).toContain('content');
    expect(faultOfAnswer(answer('short', 'stop', 140))).toContain('content');
    expect(faultOfAnswer(answer('a'.repeat(690), null, 140))).toContain('finish_reason');
    expect(faultOfAnswer(answer('a'.repeat(690), 'stop', 0))).toContain('usage');
  });
});

describe('faultOfStream', () => {
  test('accepts a stream with every chunk, one finish, usage and the end mark', () => {
    expect(faultOfStream(content.repeat(200) + finish + usage + done)).toBeUndefined();
  });

  test('names what is missing', () => {
    expect(faultOfStream(content.repeat(200) + finish + usage)).toContain('[DONE]');
    expect(faultOfStream(content.repeat(199) + finish + usage + done)).toContain('199');
    expect(faultOfStream(content.repeat(200) + usage + done)).toContain('finish_reason');
    expect(faultOfStream(content.repeat(200) + finish + done)).toContain('usage');
  });
});
