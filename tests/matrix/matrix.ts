/** The whole matrix: its pairs, its scenarios, and the one stand on which all of them are played. */
import { MODEL as CONVERSE, withConverse } from '../support/converse-host.ts';
import { openStand, type Stand } from '../support/stand.ts';
import { INBOUND, OUTBOUND, type Outbound, type Pair } from './meaning.ts';
import type { Scenario } from './scenario.ts';
import { mediaScenarios } from './scenarios/media.ts';
import { outputScenarios } from './scenarios/output.ts';
import { textScenarios } from './scenarios/text.ts';
import { toolScenarios } from './scenarios/tools.ts';
import { vendorScenarios } from './scenarios/vendor.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...textScenarios,
  ...toolScenarios,
  ...mediaScenarios,
  ...outputScenarios,
  ...vendorScenarios,
];

export const PAIRS: readonly Pair[] = INBOUND.flatMap((inbound) => OUTBOUND.map((outbound) => ({ inbound, outbound })));

/** A model of each dialect, and one of them that thinks. */
export const MODELS: Readonly<Record<Outbound, { readonly plain: string; readonly thinker: string }>> = {
  'openai-chat': { plain: 'openai/gpt-4o', thinker: 'compatible/thinker' },
  'anthropic-messages': { plain: 'anthropic/claude-sonnet-4-5', thinker: 'anthropic/claude-sonnet-4-5' },
  'google-generate': { plain: 'google/gemini-2.5-flash', thinker: 'google/gemini-2.5-flash' },
  'openai-responses': { plain: 'openai/gpt-4o-r', thinker: 'openai/gpt-5-r' },
  'amazon-converse': { plain: CONVERSE, thinker: CONVERSE },
};

const LIMITS = { contextLength: 128_000, maxOutputTokens: 16_384 };
const responses = (upstreamModel: string) => [{ provider: 'openai', dialect: 'openai-responses', upstreamModel }];

export const openMatrixStand = (): Promise<Stand> =>
  openStand({
    alsoHosts: withConverse(() => ({
      providers: {},
      models: [
        {
          id: MODELS['openai-responses'].thinker,
          ...LIMITS,
          capabilities: {
            tools: true,
            structuredOutput: true,
            temperature: false,
            thinking: { kind: 'effort', levels: ['low', 'medium', 'high'] },
          },
          endpoints: responses('gpt-5'),
        },
      ],
    })),
  });
