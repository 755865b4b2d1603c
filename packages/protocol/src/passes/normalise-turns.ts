/**
 * Turns in the form strict upstreams require: no empty text, alternating roles, every tool call answered right after it
 * and every result matching a call. The meaning stays; only what no strict upstream accepts is repaired.
 */

import type { TextCall } from '../canonical/call.ts';
import type { Block, ToolResultBlock, Turn } from '../canonical/content.ts';
import type { FieldLoss } from '../canonical/fields.ts';
import { stringAt } from '../canonical/json.ts';
import { LossList } from './loss-list.ts';

type TurnRules = {
  /** System turns inside a conversation: left in place, or marked as such inside a user turn. */
  readonly systemTurns: 'keep' | 'as-user';
};

type NormalTurns = { readonly turns: readonly Turn[]; readonly losses: readonly FieldLoss[] };

export function normaliseTurns(given: readonly Turn[], rules: TurnRules): NormalTurns {
  const losses = new LossList();
  const placed = given.map((turn) => {
    if (turn.role !== 'system' || rules.systemTurns === 'keep') return turn;
    losses.add('turn.system', 'approximated');
    return asUser(turn);
  });
  for (const turn of placed) if (turn.name !== undefined) losses.add('turn.name');
  const once = withoutRepeatedResults(placed, () => losses.add('block.tool-result', 'approximated'));
  const full = once.map(withoutEmptyText).filter((turn) => turn.blocks.length > 0);
  const isSystem = ({ role }: Turn): boolean => role === 'system';
  const merged = full.some(isSystem) ? merge(resultsBeforeSystem(merge(full))) : merge(full);
  const turns = merge(answered(merged, () => losses.add('block.tool-result', 'approximated'))).map(resultsFirst);
  return { turns, losses: losses.all };
}

function asUser(turn: Turn): Turn {
  const text = turn.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('\n');
  // Without its mark the prefix before it would not be found in the cache.
  const cache = turn.blocks.findLast((block) => block.cache !== undefined)?.cache;
  const block: Block = { kind: 'text', text: `<system>\n${text}\n</system>`, ...(cache !== undefined && { cache }) };
  return { role: 'user', blocks: [block] };
}

/** An empty text with a seal is not empty: its owner needs it back. */
const isEmpty = (block: Block): boolean => block.kind === 'text' && block.text === '' && block.seal === undefined;

const withoutEmptyText = (turn: Turn): Turn =>
  turn.blocks.some(isEmpty) ? { ...turn, blocks: turn.blocks.filter((block) => !isEmpty(block)) } : turn;

function merge(turns: readonly Turn[]): Turn[] {
  const out: Turn[] = [];
  /** Blocks of the last turn, once others were merged into it. */
  let joined: Block[] | undefined;
  for (const turn of turns) {
    const last = out.at(-1);
    if (last === undefined || last.role !== turn.role) {
      out.push(turn);
      joined = undefined;
      continue;
    }
    if (joined === undefined) {
      joined = [...last.blocks];
      out[out.length - 1] = { ...last, blocks: joined };
    }
    for (const block of turn.blocks) joined.push(block);
  }
  return out;
}

/** Instructions between calls and their results come after the results: strict upstreams accept nothing in between. */
function resultsBeforeSystem(turns: readonly Turn[]): Turn[] {
  const out: Turn[] = [];
  let open = new Set<string>();
  /** Results that the caller sent after the instructions. */
  let late: Block[] | undefined;
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      open = new Set(callsIn(turn));
      late = undefined;
    } else if (turn.role === 'system' && late === undefined) {
      late = [];
      out.push({ role: 'user', blocks: late });
    }
    const rest: Block[] = [];
    for (const block of turn.blocks) {
      const answers = block.kind === 'tool-result' && open.delete(block.callId);
      (answers ? (late ?? rest) : rest).push(block);
    }
    out.push({ ...turn, blocks: rest });
  }
  return out.filter(({ blocks }) => blocks.length > 0);
}

const callsIn = ({ blocks }: Turn): string[] =>
  blocks.flatMap((block) => (block.kind === 'tool-call' ? [block.id] : []));

/** The same turns unless a call has two results before the next answer: agents that resume a conversation repeat them. */
function withoutRepeatedResults(turns: readonly Turn[], mended: () => void): readonly Turn[] {
  let seen = new Set<string>();
  let out: Turn[] | undefined;
  for (const [position, turn] of turns.entries()) {
    if (turn.role === 'assistant' && seen.size > 0) seen = new Set();
    let blocks: Block[] | undefined;
    for (const [at, block] of turn.blocks.entries())
      if (block.kind === 'tool-result' && seen.has(block.callId)) blocks ??= turn.blocks.slice(0, at);
      else {
        blocks?.push(block);
        if (block.kind === 'tool-result') seen.add(block.callId);
      }
    if (blocks !== undefined) {
      out ??= turns.slice(0, position);
      mended();
    }
    if (blocks?.length !== 0) out?.push(blocks === undefined ? turn : { ...turn, blocks });
  }
  return out ?? turns;
}

/** Tool calls without a result get an error as their result; results without a call become text. */
function answered(turns: readonly Turn[], mended: () => void): Turn[] {
  const out: Turn[] = [];
  let open = new Set<string>();
  for (const [position, turn] of turns.entries()) {
    if (turn.role === 'assistant') {
      const isLast = position === turns.length - 1;
      open = new Set(isLast ? [] : callsIn(turn));
      out.push(turn);
      continue;
    }
    const here = new Set(turn.blocks.flatMap((block) => (block.kind === 'tool-result' ? [block.callId] : [])));
    const missing = [...open].filter((id) => !here.has(id));
    const known = open;
    open = new Set();
    const orphaned = turn.blocks.some((block) => block.kind === 'tool-result' && !known.has(block.callId));
    if (missing.length === 0 && !orphaned) {
      out.push(turn);
      continue;
    }
    mended();
    const kept = turn.blocks.flatMap((block) =>
      block.kind === 'tool-result' && !known.has(block.callId) ? resultAsText(block) : [block],
    );
    const blocks = [...missing.map(noResult), ...kept];
    out.push(turn.role === 'user' ? { ...turn, blocks } : turn);
    if (turn.role !== 'user' && missing.length > 0)
      out.splice(out.length - 1, 0, { role: 'user', blocks: missing.map(noResult) });
  }
  return out;
}

const noResult = (callId: string): ToolResultBlock => ({
  kind: 'tool-result',
  callId,
  content: [{ kind: 'text', text: 'No result was provided for this call.' }],
  isError: true,
});

const resultAsText = ({ content, structured }: ToolResultBlock): readonly Block[] =>
  structured === undefined ? content : [{ kind: 'text', text: JSON.stringify(structured) }];

function resultsFirst(turn: Turn): Turn {
  if (turn.role !== 'user') return turn;
  const firstOther = turn.blocks.findIndex((block) => block.kind !== 'tool-result');
  if (firstOther === -1 || !turn.blocks.slice(firstOther).some((block) => block.kind === 'tool-result')) return turn;
  const results = turn.blocks.filter((block) => block.kind === 'tool-result');
  return { ...turn, blocks: [...results, ...turn.blocks.filter((block) => block.kind !== 'tool-result')] };
}

// Turns are extended in place while they are read: copying a turn for each piece would take quadratic time, and
// callers may send a hundred thousand pieces.

export type GrowingTurn = Turn & { readonly blocks: Block[] };

/** Results of one turn are grouped, even if the dialect sends each as a message of its own. */
export function pushResult(turns: GrowingTurn[], result: ToolResultBlock): void {
  const last = turns.at(-1);
  // Callers of this function never mix a result with other blocks in one turn, so checking the last block is enough.
  if (last?.role === 'user' && (last.blocks.at(-1) ?? result).kind === 'tool-result') last.blocks.push(result);
  else turns.push({ role: 'user', blocks: [result] });
}

// Every tool call has one result, for hosts that refuse a call without one: an interrupted agent leaves such calls
// behind. Only these calls are touched; `normalise-turns.ts` does more, for stricter hosts.

/** The same turns if nothing is missing. Calls at the very end are left alone: their results are what comes next. */
export function withAnsweredCalls(given: readonly Turn[], mended: () => void): readonly Turn[] {
  const turns = withoutRepeatedResults(given, mended);
  let out: Turn[] | undefined;
  for (const [position, turn] of turns.entries()) {
    const missing = turn.role === 'assistant' ? unanswered(turn, turns, position) : [];
    if (missing.length > 0) out ??= turns.slice(0, position);
    out?.push(turn);
    if (missing.length === 0) continue;
    mended();
    out?.push({ role: 'user', blocks: missing.map(noResult) });
  }
  return out ?? turns;
}

/** Results stand before the next answer of the assistant; some formats make several turns of one answer. */
function unanswered(turn: Turn, turns: readonly Turn[], position: number): readonly string[] {
  const open = new Set(callsIn(turn));
  if (open.size === 0) return [];
  let isPast = false;
  for (let at = position + 1; at < turns.length && open.size > 0; at++) {
    const next = turns[at];
    if (next === undefined || (isPast && next.role === 'assistant')) break;
    if (next.role !== 'assistant') isPast = true;
    for (const block of next.blocks) if (block.kind === 'tool-result') open.delete(block.callId);
  }
  return isPast ? [...open] : [];
}

// In some formats a last assistant turn is the start of the answer (prefill), in others it is an earlier message.
// Decoders of the former mark it; encoders that cannot have it continued must refuse, because a reply to it would be
// wrong.

/**
 * Only text and thinking can be continued: a tool call waits for its result, and a paused search is handled by its own
 * dialect.
 */
export function markPrefill(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  const kind = last?.blocks.at(-1)?.kind;
  if (last?.role !== 'assistant' || (kind !== 'text' && kind !== 'thinking')) return turns;
  return [...turns.slice(0, -1), { ...last, continues: true }];
}

export const isPrefilled = (call: TextCall): boolean => call.turns.at(-1)?.continues === true;

export const NOT_CONTINUED = 'ends with words of the assistant, which this model cannot continue';

// Names of the leading system messages: only chat has them, so its decoder notes them beside the blocks.

export const systemNameOf = (block: Block | undefined): string | undefined =>
  stringAt(block?.extras?.['openai-chat'], 'name');

export const hasSystemName = (blocks: readonly Block[]): boolean =>
  blocks.some((block) => systemNameOf(block) !== undefined);
