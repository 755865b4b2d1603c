import { describe, expect, test } from 'vitest';
import { readFinish, writeFinish } from './finish.ts';

const NOTHING_SEEN = { toolCall: false, refusal: false };
const incomplete = (reason?: string) =>
  readFinish(
    { status: 'incomplete', ...(reason !== undefined && { incomplete_details: { reason } }) },
    { ...NOTHING_SEEN, toolCall: true },
  );

describe('an incomplete answer', () => {
  test.each([undefined, 'max_output_tokens', 'max_messages', 'steered'])(
    'for the reason %s was cut short',
    (reason) => {
      const finish = incomplete(reason);
      expect(finish).toEqual({ reason: 'length', raw: reason ?? 'incomplete' });
      expect(writeFinish(finish.reason, NOTHING_SEEN).status).toBe('incomplete');
    },
  );

  test('may have been filtered', () => {
    expect(incomplete('content_filter')).toEqual({ reason: 'filter', raw: 'content_filter' });
  });
});
