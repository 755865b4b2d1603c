import { describe, expect, test } from 'vitest';
import { type CallFacts, userTextsOf } from './ask.ts';
import { taskScenarios } from './task-scenario.ts';

const encoded = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
const TASK = [
  'Do it.',
  `@say ${encodeURIComponent('Two at once.')}`,
  `@step read ${encoded({ path: 'a' })}`,
  `@also look ${encoded({ path: 'b' })}`,
  `@step run ${encoded({})}`,
  '@answer All%20done.',
].join('\n');

const asked = (results: number, tools: readonly string[] = ['read', 'look', 'run']): CallFacts => ({
  model: 'any',
  lastUserText: TASK,
  instructionTexts: [],
  // An earlier task and its result do not count.
  userTexts: userTextsOf([
    { text: '@answer Before.', results: 0 },
    { results: 1 },
    { text: `@step look %7B%7D\n@answer Merged.\n${TASK}`, results: 0 },
    { results },
  ]),
  toolResults: [],
  tools: tools.map((name) => ({ name, schema: undefined })),
  toolChoice: 'auto',
  parallelCalls: true,
  output: { kind: 'text' },
  maxTokens: undefined,
  stop: [],
  turn: 1,
  promptTokens: 1,
});

function shown(ask: CallFacts): { readonly text: string; readonly calls: readonly string[] } {
  const { pieces } = taskScenarios.task.script(ask);
  return {
    text: pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join(''),
    calls: pieces.flatMap((piece) => (piece.kind === 'call-start' ? [piece.name] : [])),
  };
}

describe('a task', () => {
  test('is followed turn by turn, from the results after it', () => {
    expect(shown(asked(0))).toEqual({ text: 'Two at once.', calls: ['read', 'look'] });
    expect(shown(asked(2))).toEqual({ text: '', calls: ['run'] });
    expect(shown(asked(3))).toEqual({ text: 'All done.', calls: [] });
  });

  test('is answered at once where a tool is not offered', () => {
    expect(shown(asked(0, ['read']))).toEqual({ text: 'All done.', calls: [] });
  });
});
