import { expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const encoded = (schema: JsonObject) =>
  anthropicMessages.client.encodeCall(textCall({ output: { kind: 'schema', schema } }), messagesTarget());

test('closing an object whose members may have any name is reported, and the rule is sent in words', () => {
  const map = { type: 'object', additionalProperties: { type: 'string' }, description: 'Words.' };
  const { body, losses } = encoded({ type: 'object', properties: { map } });
  expect(losses).toEqual([{ field: 'output.schema', why: 'approximated' }]);
  expect(body['output_config']).toMatchObject({
    format: {
      schema: {
        properties: {
          map: { additionalProperties: false, description: 'Words. (additionalProperties: {"type":"string"})' },
        },
      },
    },
  });
});

test('closing an object that says nothing about other members loses nothing', () => {
  for (const more of [{}, { additionalProperties: false }])
    expect(encoded({ type: 'object', properties: { a: { type: 'string' } }, ...more }).losses).toEqual([]);
});
