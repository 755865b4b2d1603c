/** What is known of the hosts of recordings: the shipped quirks of the vendor where it is shipped, generous facts of the model. */
import type { SealOwner } from '@trivium/protocol/canonical';
import { findAnyDialect, type TargetFacts } from '@trivium/protocol/dialects';
import { providerSet } from '../../packages/gateway/src/models/providers/provider-set.ts';

const providers = providerSet();
const HOME: Readonly<Record<string, string>> = {
  'anthropic-messages': 'claude',
  'google-generate': 'gemini',
  'openai-responses': 'gpt',
  'openai-chat': 'fixture',
};

export function factsOfHost(vendor: string, dialect: string): TargetFacts {
  const found = findAnyDialect(dialect);
  const own = providers.offer(vendor, dialect)?.quirks ?? {};
  const owner: SealOwner = {
    dialect:
      dialect === 'anthropic-messages' || dialect === 'google-generate' || dialect === 'openai-responses'
        ? dialect
        : 'openai-chat',
    family: HOME[dialect] ?? 'fixture',
  };
  return {
    upstreamModel: 'upstream-model',
    model: {
      maxOutputTokens: 1_000_000,
      temperature: true,
      tools: true,
      structuredOutput: true,
      thinking: { kind: 'effort', canDisable: true, levels: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] },
      outputModalities: ['text', 'image', 'audio'],
      candidatesMax: 8,
    },
    quirks: found !== undefined && 'quirks' in found ? found.quirks(own) : own,
    sealOwner: owner,
  };
}
