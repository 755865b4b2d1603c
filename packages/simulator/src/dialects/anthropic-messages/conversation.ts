// Tolerant readers of a messages body; unvalidated bodies pass through them, too.
import { asRecord, asRecords, asText, type JsonRecord, ofType } from '../../json-value.ts';

export interface MessagesTurn {
  readonly role: string;
  readonly blocks: readonly JsonRecord[];
  /** Content given as plain text has no block of its own. */
  readonly isShorthand: boolean;
}

export function blocksOfContent(content: unknown): readonly JsonRecord[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asRecords(content);
}

export function turnsOf(body: JsonRecord): readonly MessagesTurn[] {
  return asRecords(body['messages']).map(({ role, content }) => ({
    role: asText(role),
    blocks: blocksOfContent(content),
    isShorthand: typeof content === 'string',
  }));
}

export function isThinking(block: JsonRecord | undefined): boolean {
  return block?.['type'] === 'thinking' || block?.['type'] === 'redacted_thinking';
}

/** A last turn in the middle of a search of the vendor: it continues when it is sent back. */
export function isPaused(turn: MessagesTurn | undefined): boolean {
  return turn?.role === 'assistant' && ofType(turn.blocks, 'server_tool_use').length > 0;
}

export function thinkingMode(body: JsonRecord): 'enabled' | 'adaptive' | 'disabled' {
  const type = asRecord(body['thinking'])['type'];
  return type === 'enabled' || type === 'adaptive' ? type : 'disabled';
}
