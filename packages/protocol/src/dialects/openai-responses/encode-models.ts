/**
 * Model cards as the Codex command line reads them, which requests `GET /models?client_version=…`. The cards contain no
 * instructions or tools: its built-in defaults for an unknown model are better than anything the gateway could send.
 */
import type { ModelCard } from '../../canonical/model-card.ts';

export interface AgentModel {
  readonly slug: string;
  readonly display_name: string;
  readonly description: string;
  readonly default_reasoning_level: string | null;
  readonly supported_reasoning_levels: readonly { readonly effort: string; readonly description: string }[];
  readonly visibility: 'list';
  readonly supported_in_api: true;
  readonly priority: number;
  readonly supports_reasoning_summaries: boolean;
  readonly context_window: number;
}

const encodeModel = (card: ModelCard, priority: number): AgentModel => {
  const levels = card.reasoningLevels;
  return {
    slug: card.id,
    display_name: card.displayName,
    description: card.description,
    default_reasoning_level: levels.includes('medium') ? 'medium' : (levels[0] ?? null),
    supported_reasoning_levels: levels.map((effort) => ({ effort, description: `Thinks with ${effort} effort.` })),
    visibility: 'list',
    supported_in_api: true,
    priority,
    supports_reasoning_summaries: card.reasoning,
    context_window: card.contextLength,
  };
};

/** Only models that can hold a conversation. */
export const encodeModels = (cards: readonly ModelCard[]): { readonly models: readonly AgentModel[] } => ({
  models: cards.filter(({ outputModalities }) => outputModalities.includes('text')).map(encodeModel),
});
