/** Each dialect's declared field support holds: native and mapped fields are sent upstream, dropped ones are losses. */
import type { CanonicalField, DialectId, SealOwner, TextCall } from '@trivium/protocol/canonical';
import { builtDialects, findTextDialect, type HostDialect, type TargetFacts } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import { anthropic } from '../../packages/gateway/src/models/providers/anthropic.ts';
import { google } from '../../packages/gateway/src/models/providers/google.ts';
import { openai } from '../../packages/gateway/src/models/providers/openai.ts';
import { samplesFor } from './stance-samples.ts';

/** Left out where it is what the upstream does anyway. */
const DEFAULTS: ReadonlySet<string> = new Set([
  'openai-chat output.text',
  'anthropic-messages output.text',
  'openai-responses output.text',
  'amazon-converse output.text',
]);
/** What the dialect has and its own provider lacks: reasoning that returns to chat hosts, a setting for Vertex only. */
const BEYOND_HOME: ReadonlySet<string> = new Set([
  'openai-chat block.thinking',
  'openai-chat block.seal',
  'google-generate call.audioTimestamp',
]);
const HOMES = { ...openai.offers, ...anthropic.offers, ...google.offers };

const BASE: TextCall = {
  operation: 'text',
  model: 'maker/model',
  stream: false,
  system: [],
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'q' }] }],
  tools: [],
  sampling: {},
  usageWanted: { inStream: false, withCost: false },
  extras: {},
};

const LEVELS = { usual: ['low', 'medium', 'high'], withNone: ['none', 'low', 'medium', 'high'] } as const;

const FAMILIES: Readonly<Record<string, string>> = {
  'openai-chat': 'gpt',
  'anthropic-messages': 'claude',
  'google-generate': 'gemini',
  'openai-responses': 'gpt',
  'amazon-converse': 'maker',
};

function factsOf(dialect: HostDialect, field: CanonicalField): TargetFacts {
  // Where a dialect sets only the length of reasoning, the gateway decides what is shown of it.
  const byBudget = dialect.id === 'google-generate' || field !== 'reasoning.show' ? 'budget' : 'adaptive';
  const kind = dialect.id === 'anthropic-messages' || dialect.id === 'google-generate' ? byBudget : 'effort';
  // Models that reason take no sampling at the home of the format, and those that do not take no effort.
  const thinks = field.startsWith('reasoning.') || field === 'block.thinking' || field === 'block.seal';
  return {
    upstreamModel: 'up',
    model: {
      maxOutputTokens: 8192,
      temperature: true,
      tools: true,
      structuredOutput: true,
      thinking: thinks
        ? {
            kind,
            canDisable: true,
            levels: [...LEVELS[dialect.id === 'openai-responses' ? 'withNone' : 'usual']],
            budgetMin: 1024,
            budgetMax: 8000,
          }
        : { kind: 'none', canDisable: true, levels: [] },
      outputModalities: dialect.id === 'google-generate' ? ['text', 'image'] : ['text'],
    },
    quirks: dialect.quirks(BEYOND_HOME.has(`${dialect.id} ${field}`) ? {} : (HOMES[dialect.id]?.quirks ?? {})),
    sealOwner: ownerOf(dialect.id),
  };
}

const ownerOf = (dialect: DialectId): SealOwner => ({ dialect, family: FAMILIES[dialect] ?? '' });

const dialects = builtDialects.map((id) => findTextDialect(id)).filter((dialect) => dialect !== undefined);

describe.each(dialects)('$id', (dialect) => {
  test('fields of another dialect are a loss', () => {
    const other: DialectId = dialect.id === 'openai-chat' ? 'google-generate' : 'openai-chat';
    const foreign: TextCall = {
      ...BASE,
      turns: [
        ...BASE.turns,
        {
          role: 'assistant',
          blocks: [
            { kind: 'foreign', dialect: other, wire: { MARK: 1 } },
            { kind: 'text', text: 'a' },
          ],
        },
        ...BASE.turns,
      ],
      extras: { [other]: { MARK: 1 } },
    };
    const { body, losses } = dialect.client.encodeCall(foreign, factsOf(dialect, 'extras'));
    expect(JSON.stringify(body)).not.toContain('MARK');
    expect(losses.map(({ field }) => field).sort()).toEqual(['block.foreign', 'extras']);
  });

  const samples = samplesFor(dialect.id, ownerOf(dialect.id));
  test.each(Object.entries(dialect.stances) as [CanonicalField, string][])('%s is %s', (field, stance) => {
    const sample = samples[field];
    const encode = (more: Partial<TextCall>) => {
      const { body, losses } = dialect.client.encodeCall({ ...BASE, ...more }, factsOf(dialect, field));
      return { body: JSON.stringify(body), losses };
    };
    const without = encode(sample.without ?? {});
    expect(without.losses).toEqual([]);
    if (stance === 'refused') {
      const refusal = expect.objectContaining({ fault: expect.objectContaining({ kind: 'unsupported' }) });
      expect(() => encode(sample.with)).toThrow(refusal);
      return;
    }
    const { body, losses } = encode(sample.with);
    const isSeen = !['dropped', 'gateway'].includes(stance) && !DEFAULTS.has(`${dialect.id} ${field}`);
    const lost: Readonly<Record<string, unknown>> = { dropped: expect.any(String), approximated: 'approximated' };
    expect({ isSeen: body !== without.body, losses }).toEqual({
      isSeen,
      losses: lost[stance] === undefined ? [] : [{ field, why: lost[stance] }],
    });
    if (stance === 'native' && sample.mark !== undefined) expect(body).toContain(sample.mark);
  });
});
