/** A call of the data plane as one of the account's keys. */
import Type from 'typebox';
import { closed } from '../api/contract.ts';

export const PlaygroundCall = Type.Object(
  {
    keyId: Type.String({ minLength: 1, maxLength: 100, description: 'The key the call is made as, and charged to.' }),
    path: Type.String({
      pattern: '^/[!-~]{0,2000}$',
      description: 'A path of the data plane, e.g. `/api/v1/chat/completions`.',
    }),
    headers: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 4096, pattern: '^[ -~]*$' }), {
        maxProperties: 50,
        description:
          '`accept`, `anthropic-beta`, `anthropic-version`, `idempotency-key`, `openai-beta`, `traceparent` and `x-trivium-…`.',
      }),
    ),
    body: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'JSON, sent as it is with POST. Absent: a GET.' }),
    ),
    file: Type.Optional(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 200 }),
          base64: Type.String({ minLength: 1, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
        },
        {
          ...closed,
          description: 'A recording, for calls that take a form: `body` is sent as its other members, this as `file`.',
        },
      ),
    ),
  },
  closed,
);
export const PlaygroundAnswer = Type.Unknown({
  $id: 'PlaygroundAnswer',
  description:
    "The data plane's own answer, with its status, its type and its `x-trivium-…` headers, streamed as it comes.",
});
