/**
 * Tool names within a target's limits, one to one within a call: kept if they fit, else shortened with a digest. The
 * request uses the safe names; names in the answer are mapped back.
 */
import type { TextAnswer } from '../canonical/answer.ts';
import type { TextCall, Tool, ToolChoice } from '../canonical/call.ts';
import type { Block } from '../canonical/content.ts';
import type { Event } from '../canonical/events.ts';
import { digest } from './safe-names.ts';

export type NameRule = { fits(name: string): boolean; readonly maxLength: number };

/** Sent name → the caller's own. */
export type ToolNames = ReadonlyMap<string, string>;

/** Returns the call unchanged if every name fits. */
export function withSafeToolNames(call: TextCall, rule: NameRule): { call: TextCall; toolNames?: ToolNames } {
  const names = namesOf(call);
  const unfit = names.filter((name) => !rule.fits(name));
  if (unfit.length === 0) return { call };
  const taken = new Set(names);
  const safe = new Map<string, string>();
  for (const name of unfit) {
    if (safe.has(name)) continue;
    let candidate = shortened(name, rule.maxLength, digest(name));
    for (let bump = 1; taken.has(candidate); bump++)
      candidate = shortened(name, rule.maxLength, digest(`${name}#${bump}`));
    taken.add(candidate);
    safe.set(name, candidate);
  }
  const spell = (name: string): string => safe.get(name) ?? name;
  return { call: renamed(call, spell), toolNames: new Map([...safe].map(([own, sent]) => [sent, own])) };
}

/** Letters, digits and underscores only, starting with a letter, and nothing that decodes as an escape. */
function shortened(name: string, maxLength: number, mark: string): string {
  const plain = name.replace(/[^A-Za-z0-9]+/g, '_').replaceAll('_x', '_');
  const head = /^[A-Za-z]/.test(plain) ? plain : `t${plain}`;
  return `${head.slice(0, maxLength - mark.length - 1)}_${mark}`;
}

function namesOf(call: TextCall): string[] {
  const names = call.tools.flatMap((tool) => (tool.kind === 'built-in' ? [] : [tool.name]));
  for (const { blocks } of call.turns)
    for (const block of blocks) if (block.kind === 'tool-call') names.push(block.name);
  return names;
}

type Spell = (name: string) => string;

const renamed = (call: TextCall, spell: Spell): TextCall => ({
  ...call,
  tools: call.tools.map((tool): Tool => (tool.kind === 'built-in' ? tool : { ...tool, name: spell(tool.name) })),
  turns: call.turns.map((turn) => ({ ...turn, blocks: turn.blocks.map((block) => renamedBlock(block, spell)) })),
  ...(call.toolChoice !== undefined && { toolChoice: renamedChoice(call.toolChoice, spell) }),
});

function renamedBlock(block: Block, spell: Spell): Block {
  if (block.kind === 'tool-call') return { ...block, name: spell(block.name) };
  return block.kind === 'tool-result' && block.name !== undefined ? { ...block, name: spell(block.name) } : block;
}

function renamedChoice(choice: ToolChoice, spell: Spell): ToolChoice {
  if (choice.mode === 'one') return { ...choice, name: spell(choice.name) };
  return choice.mode === 'some' ? { ...choice, names: choice.names.map(spell) } : choice;
}

/** Replaces the sent tool name in an event by the caller's. */
export function restoreEvent(event: Event, names: ToolNames): Event {
  if (event.type !== 'block-start' || event.block.kind !== 'tool-call') return event;
  const own = names.get(event.block.name);
  return own === undefined ? event : { ...event, block: { ...event.block, name: own } };
}

export const restoreAnswer = (answer: TextAnswer, names: ToolNames): TextAnswer => ({
  ...answer,
  candidates: answer.candidates.map((candidate) => ({
    ...candidate,
    blocks: candidate.blocks.map((block) => renamedBlock(block, (name) => names.get(name) ?? name)),
  })),
});
