import { expect, test } from 'vitest';
import { readFinish } from './finish.ts';
import { tidyFinish } from './verbatim-answer.ts';

test('an answer that filled the context was truncated, and does not look complete', () => {
  expect(readFinish('model_length', false)).toBe('context-full');
  expect(tidyFinish('model_length', false)).toBe('length');
});
