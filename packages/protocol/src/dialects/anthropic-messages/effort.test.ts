import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const adaptive = {
  thinking: { kind: 'adaptive', canDisable: true, levels: ['low', 'medium', 'high', 'max'] },
} as const;
const understand = (more: JsonObject) =>
  anthropicMessages.server.understand({
    model: 'a/m',
    max_tokens: 2000,
    messages: [{ role: 'user', content: 'hi' }],
    ...more,
  });
const enabled = { type: 'enabled', budget_tokens: 1500 };

/** The edit to `output_config` (null: removed; undefined: none), and the losses. */
function sent(more: JsonObject, target = messagesTarget(adaptive)): [Json | undefined, string[]] {
  const request = understand(more).verbatim(target);
  if ('why' in request) throw new Error(request.why);
  const edit = request.edits.find(({ name }) => name === 'output_config');
  return [
    edit !== undefined && 'value' in edit ? JSON.parse(edit.value ?? 'null') : undefined,
    request.losses.map(({ field, why }) => `${field} ${why}`),
  ];
}

test('an unknown effort is reported where the request is rebuilt', () => {
  const lostWith = (effort: string) => {
    const { losses, unreadMembers } = understand({ output_config: { effort } });
    return [losses, unreadMembers?.(true), unreadMembers?.(false)];
  };
  const lost = [{ path: 'output_config.effort', why: 'approximated' }];
  expect(lostWith('extreme')).toEqual([[], lost, lost]);
  expect(lostWith('high')).toEqual([[], [], []]);
});

test('an unknown effort passes unchanged, or is reported where the form of thinking replaces it', () => {
  const output_config = { effort: 'extreme' };
  expect(sent({ thinking: { type: 'adaptive' }, output_config })).toEqual([undefined, []]);
  expect(sent({ thinking: enabled, output_config })).toEqual([
    { effort: 'medium' },
    ['reasoning.budgetTokens approximated', 'reasoning.effort approximated'],
  ]);
});

test('an effort is dropped, and reported, for hosts that do not read it', () => {
  const bare = messagesTarget(adaptive, { effort: false });
  const format = { type: 'json_schema', schema: { type: 'object' } };
  const lost = 'reasoning.effort no-equivalent';
  expect(sent({ output_config: { effort: 'high' } }, bare)).toEqual([null, [lost]]);
  expect(sent({ output_config: { effort: 'high', format } }, bare)).toEqual([{ format }, [lost]]);
  expect(sent({ output_config: { effort: 'high' }, thinking: { type: 'adaptive' } }, bare)).toEqual([null, [lost]]);
  expect(sent({ output_config: { effort: 'high' }, thinking: enabled }, bare)).toEqual([
    null,
    ['reasoning.budgetTokens approximated', lost],
  ]);
});

const both = { thinking: { ...adaptive.thinking, budgetMin: 1024 } } as const;

test('a budget stays a budget for a model that takes one beside adaptive thinking', () => {
  expect(understand({ thinking: enabled }).verbatim(messagesTarget(both))).toMatchObject({
    edits: [{ name: 'model' }],
    losses: [],
  });
  const rebuilt = (more: JsonObject) =>
    anthropicMessages.client.encodeCall(understand(more).call(), messagesTarget(both));
  expect(rebuilt({ thinking: enabled })).toMatchObject({ body: { thinking: enabled }, losses: [] });
  expect(rebuilt({ thinking: enabled, output_config: { effort: 'high' } })).toMatchObject({
    body: { thinking: enabled, output_config: { effort: 'high' } },
    losses: [],
  });
  expect(rebuilt({ output_config: { effort: 'high' } }).body['thinking']).toMatchObject({ type: 'adaptive' });
});

test('a call without thoughts before it keeps such a model from a budget, not from thinking', () => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '1' }] },
  ];
  const call = understand({ messages, thinking: enabled }).call();
  expect(anthropicMessages.client.encodeCall(call, messagesTarget(both))).toMatchObject({
    body: { thinking: { type: 'adaptive' } },
    losses: [{ field: 'reasoning.budgetTokens', why: 'approximated' }],
  });
});
