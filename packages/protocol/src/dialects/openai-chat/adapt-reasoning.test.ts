import { describe, expect, test } from 'vitest';
import type { Reasoning } from '../../canonical/call.ts';
import type { FieldLoss } from '../../canonical/fields.ts';
import type { Json } from '../../canonical/json.ts';
import { targetFacts } from '../dialect.fixture.ts';
import type { TargetFacts } from '../dialect.ts';
import { adapt } from './adapt.ts';
import { type ChatQuirks, chatQuirks } from './quirks.ts';

type Write = ChatQuirks['reasoningWrite'];
type Thinking = TargetFacts['model']['thinking'];
const ANY: Thinking = { kind: 'effort', canDisable: true, levels: [] };
const NO_THINKER: Thinking = { kind: 'none', canDisable: true, levels: [] };

function asked(reasoning: Reasoning, reasoningWrite: Write, thinking: Thinking = ANY, maxOutputTokens?: number) {
  const target: TargetFacts = targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks({ reasoningWrite }), {
    maxOutputTokens,
    thinking,
  });
  // A member the caller wrote must be gone unless it is the host's own.
  const body = { reasoning_effort: 'caller' };
  const { set, losses } = adapt(body, { stream: false, reasoning, maxOutputTokens: undefined }, target);
  const { model: _, ...others } = Object.fromEntries(set);
  return { set: others, losses };
}
const GONE = { reasoning_effort: undefined };
const approximated = (field: FieldLoss['field']): FieldLoss => ({ field, why: 'approximated' });
const lost = (field: FieldLoss['field']): FieldLoss => ({ field, why: 'no-equivalent' });

type Row = [Write, Reasoning, Record<string, Json | undefined>, FieldLoss[]];

test.each<Row>([
  ['effort', { effort: 'high' }, { reasoning_effort: 'high' }, []],
  ['effort', { enabled: true }, { reasoning_effort: 'medium' }, []],
  ['effort', { budgetTokens: 2048 }, { reasoning_effort: 'low' }, [approximated('reasoning.budgetTokens')]],
  ['effort', { enabled: false }, { reasoning_effort: 'none' }, []],
  ['effort', { effort: 'none' }, { reasoning_effort: 'none' }, []],
  ['effort-parsed', { effort: 'low' }, { reasoning_effort: 'low', reasoning_format: 'parsed' }, []],
  ['effort-parsed', { enabled: false }, { reasoning_effort: 'none', reasoning_format: 'parsed' }, []],
  ['effort-object', { effort: 'low' }, { ...GONE, reasoning: { effort: 'low' } }, []],
  ['effort-object', { enabled: true }, { ...GONE, reasoning: { effort: 'medium' } }, []],
  ['effort-object', { budgetTokens: 99 }, { ...GONE, reasoning: { max_tokens: 99 } }, []],
  ['effort-object', { enabled: false }, { ...GONE, reasoning: { enabled: false } }, []],
  ['enabled-object', { enabled: true }, { ...GONE, reasoning: { enabled: true } }, []],
  ['enabled-object', { effort: 'low' }, { ...GONE, reasoning: { enabled: true } }, [approximated('reasoning.effort')]],
  ['enabled-object', { enabled: false }, { ...GONE, reasoning: { enabled: false } }, []],
  ['thinking-type', { enabled: true }, { ...GONE, thinking: { type: 'enabled' } }, []],
  [
    'thinking-type',
    { budgetTokens: 9 },
    { ...GONE, thinking: { type: 'enabled' } },
    [approximated('reasoning.budgetTokens')],
  ],
  ['thinking-type', { effort: 'none' }, { ...GONE, thinking: { type: 'disabled' } }, []],
  ['enable-thinking', { enabled: true }, { ...GONE, enable_thinking: true }, []],
  ['enable-thinking', { budgetTokens: 77 }, { ...GONE, enable_thinking: true, thinking_budget: 77 }, []],
  ['enable-thinking', { effort: 'low' }, { ...GONE, enable_thinking: true, thinking_budget: 2048 }, []],
  ['enable-thinking', { enabled: false }, { ...GONE, enable_thinking: false }, []],
  ['template', { enabled: true }, { ...GONE, chat_template_kwargs: { enable_thinking: true } }, []],
  [
    'template',
    { effort: 'high' },
    { ...GONE, chat_template_kwargs: { enable_thinking: true } },
    [approximated('reasoning.effort')],
  ],
  ['template', { enabled: false }, { ...GONE, chat_template_kwargs: { enable_thinking: false } }, []],
  ['none', { enabled: true }, GONE, [lost('reasoning.enabled')]],
  ['none', { effort: 'low' }, GONE, [lost('reasoning.effort')]],
  ['none', { budgetTokens: 5 }, GONE, [lost('reasoning.budgetTokens')]],
  ['none', { enabled: false }, GONE, []],
])('a host that writes %s gets %j', (write, reasoning, set, losses) => {
  expect(asked(reasoning, write)).toStrictEqual({ set, losses });
});

describe('models', () => {
  test('a model that does not reason loses the request to reason, and ignores the request not to', () => {
    expect(asked({ effort: 'low' }, 'effort', NO_THINKER)).toStrictEqual({
      set: GONE,
      losses: [lost('reasoning.effort')],
    });
    expect(asked({ enabled: false }, 'effort', NO_THINKER)).toStrictEqual({ set: GONE, losses: [] });
  });

  test('an option for showing reasoning is not a request to reason', () => {
    expect(asked({ show: 'none' }, 'effort')).toStrictEqual({ set: GONE, losses: [] });
  });

  test.each<[string, readonly string[], Reasoning, string | undefined, boolean]>([
    ['its own level', ['low', 'high'], { effort: 'high' }, 'high', true],
    ['the nearest', ['low', 'high'], { effort: 'max' }, 'high', false],
    ['the cheaper of two', ['low', 'high'], { effort: 'medium' }, 'low', false],
    ['the nearest to medium when only asked to think', ['high', 'max'], { enabled: true }, 'high', true],
    ['levels of its own that we do not know', ['turbo'], { effort: 'high' }, 'high', true],
    ['no level but none', ['none'], { effort: 'high' }, 'high', true],
  ])('%s', (_name, levels, reasoning, written, exact) => {
    const { set, losses } = asked(reasoning, 'effort', { ...ANY, levels });
    expect(set).toStrictEqual({ reasoning_effort: written });
    expect(losses).toStrictEqual(exact ? [] : [approximated('reasoning.effort')]);
  });

  test('a budget is a share of the model’s output limit', () => {
    expect(asked({ effort: 'high' }, 'enable-thinking', ANY, 1000).set).toMatchObject({ thinking_budget: 750 });
    expect(asked({ budgetTokens: 100 }, 'effort', ANY, 1000).set).toStrictEqual({ reasoning_effort: 'low' });
  });

  describe('models that cannot stop reasoning', () => {
    const fixed: Thinking = { kind: 'effort', canDisable: false, levels: ['low', 'high'] };
    test('reason as little as they can, and the request is lost', () => {
      expect(asked({ enabled: false }, 'effort', fixed)).toStrictEqual({
        set: { reasoning_effort: 'low' },
        losses: [lost('reasoning.enabled')],
      });
    });
    test('get no reasoning setting if the host has no levels', () => {
      expect(asked({ effort: 'none' }, 'thinking-type', fixed)).toStrictEqual({
        set: GONE,
        losses: [lost('reasoning.effort')],
      });
    });
    test('get no reasoning setting if they have no known level', () => {
      expect(asked({ enabled: false }, 'effort', { ...fixed, levels: [] }).set).toStrictEqual(GONE);
    });
    test('can stop if `none` is one of their levels', () => {
      expect(asked({ enabled: false }, 'effort', { ...fixed, levels: ['none', 'low'] })).toStrictEqual({
        set: { reasoning_effort: 'none' },
        losses: [],
      });
    });
  });
});
