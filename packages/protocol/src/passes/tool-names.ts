/**
 * Tool names within a target's limits, one to one within a call: kept if they fit, else shortened with a digest. The
 * request uses the safe names; names in the answer are mapped back, and so are calls of functions that stand for tools
 * of free form.
 */
import type { TextAnswer } from '../canonical/answer.ts';
import type { TextCall, Tool, ToolChoice } from '../canonical/call.ts';
import type { Block } from '../canonical/content.ts';
import type { Event } from '../canonical/events.ts';
import { FreeFormText, textInArguments } from './free-form.ts';
import { digest } from './safe-names.ts';

export type NameRule = { fits(name: string): boolean; readonly maxLength: number };

/** What the caller called a tool that it will not recognise in the answer; and that its input is text, not JSON. */
type OwnTool = { readonly name: string; readonly freeForm?: true };

/** Sent name → the caller's own tool. Plain data: another thread may need it. */
export type ToolNames = ReadonlyMap<string, OwnTool>;

/** Returns the call unchanged if every name fits. */
export function withSafeToolNames(call: TextCall, rule: NameRule): { call: TextCall; toolNames?: ToolNames } {
  const names = namesOf(call);
  const unfit = names.filter((name) => !rule.fits(name));
  const freeForm = call.tools.filter((tool) => tool.kind === 'function' && tool.standsFor === 'custom');
  if (unfit.length === 0) return freeForm.length === 0 ? { call } : { call, toolNames: ownTools([], freeForm) };
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
  return { call: renamed(call, spell), toolNames: ownTools([...safe], freeForm) };
}

function ownTools(renames: readonly (readonly [own: string, sent: string])[], freeForm: readonly Tool[]): ToolNames {
  const own = new Map<string, OwnTool>(renames.map(([name, sent]) => [sent, { name }]));
  const sentNames = new Map(renames);
  for (const { name } of freeForm) own.set(sentNames.get(name) ?? name, { name, freeForm: true });
  return own;
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

/** Replaces sent tools in a stream by the caller's own. */
export class ToolRestorer {
  readonly #tools: ToolNames;
  readonly #texts = new Map<number, FreeFormText>();

  constructor(tools: ToolNames) {
    this.#tools = tools;
  }

  push(event: Event): readonly Event[] {
    switch (event.type) {
      case 'block-start':
        return [this.#start(event)];
      case 'block-delta': {
        const text = this.#texts.get(event.index);
        return text === undefined ? [event] : deltas(event.index, text.push(event.text));
      }
      case 'block-end': {
        const text = this.#texts.get(event.index);
        this.#texts.delete(event.index);
        return text === undefined ? [event] : [...deltas(event.index, text.end()), event];
      }
      default:
        return [event];
    }
  }

  #start(event: Extract<Event, { type: 'block-start' }>): Event {
    const { block, index } = event;
    const own = block.kind === 'tool-call' ? this.#tools.get(block.name) : undefined;
    if (own === undefined || block.kind !== 'tool-call') return event;
    if (own.freeForm !== true) return { ...event, block: { ...block, name: own.name } };
    this.#texts.set(index, new FreeFormText());
    return { ...event, block: { ...block, name: own.name, form: 'custom' } };
  }
}

const deltas = (index: number, text: string): readonly Event[] =>
  text === '' ? [] : [{ type: 'block-delta', index, text }];

export const restoreAnswer = (answer: TextAnswer, tools: ToolNames): TextAnswer => ({
  ...answer,
  candidates: answer.candidates.map((candidate) => ({
    ...candidate,
    blocks: candidate.blocks.map((block) => restoredBlock(block, tools)),
  })),
});

function restoredBlock(block: Block, tools: ToolNames): Block {
  const own = block.kind === 'tool-call' ? tools.get(block.name) : undefined;
  if (own === undefined || block.kind !== 'tool-call') return block;
  if (own.freeForm !== true) return { ...block, name: own.name };
  return { ...block, name: own.name, form: 'custom', argumentsJson: textInArguments(block.argumentsJson) };
}
