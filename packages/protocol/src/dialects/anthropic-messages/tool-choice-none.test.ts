import { expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const without = messagesTarget({}, { toolChoiceNone: false });
const input_schema = { type: 'object', properties: {} };

test('a host without the tool choice none gets no tools, which is reported', () => {
  const call = textCall({ tools: [{ kind: 'function', name: 'f' }], toolChoice: { mode: 'none' } });
  const { body, losses } = anthropicMessages.client.encodeCall(call, without);
  expect(body['tools']).toBeUndefined();
  expect(body['tool_choice']).toBeUndefined();
  expect(losses).toEqual([{ field: 'tool-choice.none', why: 'approximated' }]);
  expect(anthropicMessages.client.encodeCall(call, messagesTarget()).body['tool_choice']).toEqual({ type: 'none' });
});

test('a request with that choice is rebuilt for such a host', () => {
  const understood = anthropicMessages.server.understand({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ name: 'f', input_schema }],
    tool_choice: { type: 'none' },
  });
  expect(understood.verbatim(without)).toHaveProperty('why');
  expect(understood.verbatim(messagesTarget())).toHaveProperty('edits');
});
