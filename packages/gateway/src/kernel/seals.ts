/** Memory of seals, for callers whose format cannot carry them. */
import type { RedactedBlock, ThinkingBlock, ToolCallBlock } from '@trivium/protocol/canonical';

/**
 * The opaque state of one answer with tool calls: its sealed reasoning, each before the call it led to, and the calls.
 */
export type KeptTurn = readonly (
  | { readonly thought: ThinkingBlock | RedactedBlock }
  | { readonly call: Pick<ToolCallBlock, 'id' | 'name' | 'argumentsJson' | 'seal'> }
)[];

/**
 * Seals that callers cannot return, kept for a while by account and id of a tool call. Losing one is allowed: it costs
 * the model's earlier reasoning, not the conversation.
 */
export interface SealMemory {
  keep(accountId: string, turn: KeptTurn): void;
  /** These calls came without seals: there is nothing to look up. */
  nothingToKeep?(accountId: string, callIds: readonly string[]): void;
  recall(accountId: string, callIds: readonly string[]): Recalled | Promise<Recalled>;
}

export type Recalled = ReadonlyMap<string, KeptTurn>;
