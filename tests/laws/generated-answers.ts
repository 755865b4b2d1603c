/** Generated answers: every kind of block, with everything that a block can hold. */
import type { Block, Candidate, Finish, Json, TextAnswer, Usage } from '@trivium/protocol/canonical';
import { FINISH_REASONS, METERS } from '@trivium/protocol/canonical';
import fc from 'fast-check';

const text = fc.string({ unit: 'binary', maxLength: 20 });
const word = fc.string({ minLength: 1, maxLength: 12 });
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json);
const count = fc.nat(1_000_000);
const record = <T extends object>(
  required: { [K in keyof T]-?: fc.Arbitrary<T[K]> },
  optional: object = {},
): fc.Arbitrary<T> =>
  fc
    .tuple(fc.record(required as never), fc.record(optional as never, { requiredKeys: [] }))
    .map(([given, maybe]) => ({ ...(given as object), ...(maybe as object) }) as T);

const seal = fc.record({
  owner: fc.record({ dialect: fc.constant('openai-chat' as const), family: word }),
  kind: fc.constantFrom('signature' as const, 'sealed' as const, 'carry' as const),
  data: word,
});
const extras = fc.record({
  'openai-chat': fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), json, { minKeys: 1, maxKeys: 2 }),
});
const token = fc.record({ token: text, logprob: fc.double({ noNaN: true, noDefaultInfinity: true }) });
const logprobs = fc.array(
  fc.tuple(token, fc.array(token, { maxLength: 2 })).map(([own, alternatives]) => ({ ...own, alternatives })),
  { minLength: 1, maxLength: 3 },
);
const citations = fc.array(fc.record({ kind: fc.constant('web' as const), url: fc.webUrl(), title: text }), {
  minLength: 1,
  maxLength: 2,
});

const block: fc.Arbitrary<Block> = fc.oneof(
  record<Block>({ kind: fc.constant('text'), text } as never, { citations, logprobs, seal, extras }),
  record<Block>({ kind: fc.constant('refusal'), text } as never, { logprobs, extras }),
  record<Block>({ kind: fc.constant('thinking'), text, form: fc.constantFrom('full', 'summary') } as never, {
    seal,
    extras,
  }),
  record<Block>({ kind: fc.constant('redacted'), seal } as never, { extras }),
  record<Block>(
    {
      kind: fc.constant('media'),
      media: fc.constantFrom('image', 'audio'),
      mimeType: word,
      source: fc.oneof(
        fc.base64String().map((base64) => ({ via: 'inline', base64 })),
        fc.webUrl().map((url) => ({ via: 'url', url })),
      ),
    } as never,
    { seal, extras },
  ),
  record<Block>(
    {
      kind: fc.constant('tool-call'),
      id: word,
      name: word,
      form: fc.constantFrom('function', 'custom'),
      argumentsJson: text,
    } as never,
    { seal, extras },
  ),
  record<Block>({ kind: fc.constant('server-tool'), id: word, name: word, argumentsJson: text } as never, {
    result: fc.record({ content: json }),
    extras,
  }),
  record<Block>({ kind: fc.constant('foreign'), dialect: fc.constant('openai-chat'), wire: json } as never, { extras }),
);

const finish: fc.Arbitrary<Finish> = record<Finish>({ reason: fc.constantFrom(...FINISH_REASONS) } as never, {
  raw: word,
  stopMatched: word,
  message: text,
});
const candidate: fc.Arbitrary<Candidate> = record<Candidate>(
  { blocks: fc.array(block, { maxLength: 5 }), finish } as never,
  { extras },
);
const usage: fc.Arbitrary<Usage> = fc.record(Object.fromEntries(METERS.map((meter) => [meter, count])), {
  requiredKeys: [],
});

export const answers: fc.Arbitrary<TextAnswer> = fc.oneof(
  {
    weight: 9,
    arbitrary: record<TextAnswer>(
      { id: text, model: text, candidates: fc.array(candidate, { minLength: 1, maxLength: 3 }), usage } as never,
      { createdAtSeconds: count },
    ),
  },
  {
    weight: 1,
    arbitrary: record<TextAnswer>(
      {
        id: text,
        model: text,
        candidates: fc.constant([]),
        promptBlocked: record({ reason: word }, { message: text, extras }),
        usage,
      } as never,
      { createdAtSeconds: count },
    ),
  },
);
