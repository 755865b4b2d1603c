/**
 * The issuer of a seal gets it back byte for byte, through every caller's protocol, plain and streamed, and no other host
 * receives it, raw or in an envelope. Answers and owners are generated; the lane is chosen as the engine chooses it.
 */
import type { Block, Sealed, SealOwner, TextAnswer } from '@trivium/protocol/canonical';
import { type AnswerContext, type Dialect, findDialect, type RequestHead } from '@trivium/protocol/dialects';
import { scanMembers, writeSse } from '@trivium/protocol/framing';
import { unfold } from '@trivium/protocol/stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Lane } from '../../packages/gateway/src/calls/lane.ts';
import { chooseLane } from '../../packages/gateway/src/calls/lanes/choose-lane.ts';
import type { Planned } from '../../packages/gateway/src/calls/request.ts';
import { sealing } from '../../packages/gateway/src/calls/seals/envelopes.ts';
import type { Target } from '../../packages/gateway/src/kernel/target.ts';
import { chatRoad } from '../support/chat-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { responsesRoad } from '../support/responses-road.ts';
import type { Json, Road } from '../support/roads.ts';
import { contextOf, factsOf, targetOf } from './fixture-set.ts';

const RUNS = 10_000;
const ENVELOPE = 'VFJWM';
const SEALING = sealing(['a key that signs seals in this test'], 'account');

const built = (id: string): Dialect => {
  const dialect = findDialect(id);
  if (dialect === undefined) throw new Error(`${id} is not built`);
  return dialect;
};
type Caller = { readonly road: Road; readonly dialect: Dialect };
const CALLERS: readonly Caller[] = [
  { road: chatRoad, dialect: built('openai-chat') },
  { road: messagesRoad, dialect: built('anthropic-messages') },
  { road: genaiRoad, dialect: built('google-generate') },
  { road: responsesRoad, dialect: built('openai-responses') },
];
const HOMES: Readonly<Record<string, string>> = {
  'anthropic-messages': 'claude',
  'google-generate': 'gemini',
  'openai-responses': 'gpt',
};

const owners: fc.Arbitrary<SealOwner> = fc
  .record({
    dialect: fc.constantFrom(
      'anthropic-messages' as const,
      'google-generate' as const,
      'openai-responses' as const,
      'openai-chat' as const,
    ),
    family: fc.constant(''),
    scope: fc.constantFrom('here', 'there'),
  })
  .chain((owner) =>
    fc.constantFrom(HOMES[owner.dialect] ?? 'claude', 'another-maker').map((family) => ({ ...owner, family })),
  );
const targets: fc.Arbitrary<SealOwner> = fc.oneof(
  owners,
  fc
    .constantFrom('gpt', 'unknown', 'claude')
    .map((family) => ({ dialect: 'openai-chat' as const, family, scope: 'here' })),
);
/** Chat hosts that issue and read seals, and so could receive foreign ones. */
const SEALING_CHAT = { reasoningRead: ['reasoning_details', 'reasoning_content'] };

const data = fc.uint8Array({ minLength: 24, maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/);
const ids = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9]{8}$/), { minLength: 1, maxLength: 3 });

/** What a model of each format may answer with, sealed in the places where that format seals. */
function answerOf(owner: SealOwner): fc.Arbitrary<readonly Block[]> {
  const sealed = (kind: Sealed['kind'], itemId?: string): fc.Arbitrary<Sealed> =>
    data.map((each) => ({ owner, kind, data: each, ...(itemId !== undefined && { itemId }) }));
  const calls = (seal?: Sealed) =>
    ids.map((each) =>
      each.map(
        (id, position): Block => ({
          kind: 'tool-call',
          id: `call_${id}`,
          name: 'weather',
          form: 'function',
          argumentsJson: '{"city":"Rome"}',
          ...(seal !== undefined && position === 0 && { seal }),
        }),
      ),
    );
  const said = fc.option(
    words.map((text): Block => ({ kind: 'text', text })),
    { nil: undefined },
  );
  const thought = (form: 'full' | 'summary', seal?: Sealed) =>
    words.map((text): Block => ({ kind: 'thinking', text, form, ...(seal !== undefined && { seal }) }));
  const joined = (...parts: fc.Arbitrary<Block | readonly Block[] | undefined>[]) =>
    fc.tuple(...parts).map((all) => all.flat().filter((block) => block !== undefined));
  switch (owner.dialect) {
    case 'anthropic-messages':
    case 'openai-chat': {
      const redacted = sealed('sealed').map((seal): Block => ({ kind: 'redacted', seal }));
      const signed = sealed('signature').chain((seal) => thought('full', seal));
      return joined(signed, fc.option(redacted, { nil: undefined }), said, calls());
    }
    case 'google-generate':
      return sealed('carry').chain((seal) =>
        joined(fc.option(thought('summary'), { nil: undefined }), said, calls(seal)),
      );
    default: {
      const item = sealed('sealed', 'rs_0123456789');
      const shown = item.chain((seal) => thought('summary', seal));
      return joined(
        fc.oneof(
          shown,
          item.map((seal): Block => ({ kind: 'redacted', seal })),
        ),
        said,
        calls(),
      );
    }
  }
}

const answered = (blocks: readonly Block[]): TextAnswer => ({
  id: 'answer',
  model: 'model',
  candidates: [{ blocks, finish: { reason: 'tool-call' } }],
  usage: { prompt: 1, completion: 1 },
});

/** The answer as the caller's client stores it. */
function turnFor({ road, dialect }: Caller, answer: TextAnswer, stream: boolean): Json {
  const context: AnswerContext = { ...contextOf(), sealing: SEALING };
  if (!stream) return road.parse(JSON.stringify(dialect.server.encodeAnswer(answer, context).body)).turn;
  const encoder = dialect.server.eventEncoder(context);
  const frames = [...unfold(answer).flatMap((event) => encoder.push(event)), ...encoder.end()];
  return road.parseStream(frames.map(writeSse).join('')).turn;
}

const HEAD: RequestHead = {
  sealing: SEALING,
  model: 'maker/model',
  stream: false,
  header: (name) => (name === 'anthropic-version' ? '2023-06-01' : undefined),
};

function bodyFor({ road, dialect }: Caller, turn: Json, calls: readonly Block[], owner: SealOwner): string {
  const made = calls.flatMap((block) => (block.kind === 'tool-call' ? [block] : []));
  const results = road.results(
    made,
    made.map(() => 'sunny'),
  );
  const responseOptions = { tools: ['weather'], thinking: true };
  const text = JSON.stringify(road.body('maker/model', [road.user('Hello'), turn, ...results], responseOptions));
  const understanding = dialect.server.understand(JSON.parse(text), HEAD);
  const planned = { understanding, dialect, text, members: scanMembers(text, 64), strict: false, head: HEAD };
  const facts = {
    ...factsOf({}, owner),
    quirks: built(owner.dialect).quirks(owner.dialect === 'openai-chat' ? SEALING_CHAT : {}),
  };
  const target: Target = { ...targetOf(facts), dialect: built(owner.dialect) };
  return (chooseLane(planned as unknown as Planned, target, {}) as Lane).body as string;
}

const sealsOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => ('seal' in block && block.seal !== undefined ? [block.seal.data] : []));
const SLOTS = new Set(['signature', 'thoughtSignature', 'data', 'encrypted_content']);
const sealsIn = (tree: unknown): string[] =>
  typeof tree !== 'object' || tree === null
    ? []
    : Object.entries(tree).flatMap(([name, value]) =>
        SLOTS.has(name) && typeof value === 'string' ? [value] : sealsIn(value),
      );

const journeys = fc
  .record({ caller: fc.constantFrom(...CALLERS), owner: owners, stream: fc.boolean() })
  .chain((way) => answerOf(way.owner).map((blocks) => ({ ...way, blocks })));

describe('seals', () => {
  test('seals return to their issuer, byte for byte, in order', { timeout: 240_000 }, () => {
    fc.assert(
      fc.property(journeys, ({ caller, owner, stream, blocks }) => {
        const turn = turnFor(caller, answered(blocks), stream);
        expect(sealsIn(JSON.parse(bodyFor(caller, turn, blocks, owner)))).toEqual(sealsOf(blocks));
      }),
      { numRuns: RUNS },
    );
  });

  test('seals and envelopes are sent to no other host', { timeout: 240_000 }, () => {
    let foreign = 0;
    fc.assert(
      fc.property(journeys, targets, ({ caller, owner, stream, blocks }, target) => {
        const turn = turnFor(caller, answered(blocks), stream);
        const shownRaw = sealsIn(turn).some((seal) => sealsOf(blocks).includes(seal));
        // A raw seal does not name its account: its issuer verifies it.
        const isOwner =
          target.dialect === owner.dialect &&
          target.family === owner.family &&
          (target.scope === owner.scope || shownRaw);
        fc.pre(!isOwner);
        foreign++;
        const body = bodyFor(caller, turn, blocks, target);
        for (const seal of [...sealsOf(blocks), ...sealsIn(turn)]) if (seal !== '') expect(body).not.toContain(seal);
        expect(body).not.toContain(ENVELOPE);
      }),
      { numRuns: RUNS },
    );
    expect(foreign).toBeGreaterThanOrEqual(RUNS);
  });
});
