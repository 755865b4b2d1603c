/**
 * A free-form tool (any text as input) as a function with one text argument, for hosts that have only functions: its
 * declaration and its earlier calls on the way out, its text out of the function's arguments on the way back.
 */
import type { TextCall, Tool } from '../canonical/call.ts';
import type { Block, Turn } from '../canonical/content.ts';
import { type JsonObject, objectAt, stringAt } from '../canonical/json.ts';
import { exactObject } from './exact-json.ts';

type FreeFormTool = Extract<Tool, { kind: 'custom' }>;

/** The one argument. */
const INPUT = 'input';

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: { [INPUT]: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: [INPUT],
  additionalProperties: false,
};

/** Does the tool have a grammar? A function cannot enforce one; the model only reads it. */
export const hasGrammar = ({ format }: FreeFormTool): boolean => stringAt(format, 'type') === 'grammar';

export function asFunction(tool: FreeFormTool): Tool {
  const { name, cache, extras } = tool;
  const description = [tool.description, grammarNote(tool)].filter((text) => text !== undefined).join('\n\n');
  return {
    kind: 'function',
    name,
    ...(description !== '' && { description }),
    parameters: PARAMETERS,
    standsFor: 'custom',
    ...(cache !== undefined && { cache }),
    ...(extras !== undefined && { extras }),
  };
}

function grammarNote(tool: FreeFormTool): string | undefined {
  if (!hasGrammar(tool)) return undefined;
  const grammar = objectAt(tool.format, 'grammar') ?? tool.format;
  const syntax = stringAt(grammar, 'syntax');
  const definition = stringAt(grammar, 'definition');
  if (definition === undefined) return undefined;
  return `The input must match this grammar${syntax === undefined ? '' : ` (${syntax})`}:\n${definition}`;
}

const isFreeForm = (block: Block): boolean => block.kind === 'tool-call' && block.form === 'custom';

export const hasFreeFormCalls = ({ turns }: TextCall): boolean => turns.some(({ blocks }) => blocks.some(isFreeForm));

export const callsAsFunctions = (turns: readonly Turn[]): readonly Turn[] =>
  turns.map((turn) => (turn.blocks.some(isFreeForm) ? { ...turn, blocks: turn.blocks.map(callAsFunction) } : turn));

const callAsFunction = (block: Block): Block =>
  block.kind === 'tool-call' && block.form === 'custom'
    ? { ...block, form: 'function', argumentsJson: JSON.stringify({ [INPUT]: block.argumentsJson }) }
    : block;

/** The text inside a function's arguments; all of them if the model wrote something else. */
export function textInArguments(argumentsJson: string): string {
  const reader = new FreeFormText();
  return reader.push(argumentsJson) + reader.end();
}

/** What stands before the text in the arguments of almost every call. */
const OPENING = /^\s*\{\s*"input"\s*:\s*"/;
/** As many characters as it may have before the reader waits for the whole arguments. */
const OPENING_MAX = 64;

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Reads the text out of arguments that arrive in pieces. Arguments of another form are read as a whole at their end. */
export class FreeFormText {
  #state: 'before' | 'inside' | 'after' | 'other' = 'before';
  /** Before the text all that has come; inside of it the beginning of an escape. */
  #held = '';

  push(piece: string): string {
    if (this.#state === 'after') return '';
    this.#held += piece;
    if (this.#state === 'before') this.#open();
    return this.#state === 'inside' ? this.#take() : '';
  }

  /** What `push` has not given. */
  end(): string {
    if (this.#state === 'inside' || this.#state === 'after') return '';
    const value = exactObject(this.#held)?.[INPUT];
    return typeof value === 'string' ? value : this.#held;
  }

  #open(): void {
    const opening = OPENING.exec(this.#held.slice(0, OPENING_MAX));
    if (opening !== null) {
      this.#held = this.#held.slice(opening[0].length);
      this.#state = 'inside';
    } else if (this.#held.length > OPENING_MAX) this.#state = 'other';
  }

  #take(): string {
    const held = this.#held;
    let text = '';
    let at = 0;
    while (at < held.length) {
      const plain = nextMark(held, at);
      text += held.slice(at, plain);
      at = plain;
      if (held.charAt(at) === '"') {
        this.#state = 'after';
        at = held.length;
      }
      const read = at < held.length ? readEscape(held, at) : undefined;
      // The rest of the escape, or the second half of a character, has yet to arrive.
      if (read === undefined) break;
      text += read;
      at += read.length === 2 ? 12 : held.charAt(at + 1) === 'u' ? 6 : 2;
    }
    this.#held = held.slice(at);
    return text;
  }
}

/** The position of the next quote or escape, or the end. */
function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) return at;
  }
  return text.length;
}

/** The character of an escape, two units if it is written as two escapes; undefined if it is not complete. */
function readEscape(text: string, at: number): string | undefined {
  const kind = text.charAt(at + 1);
  if (kind === '') return undefined;
  if (kind !== 'u') return ESCAPES[kind] ?? kind;
  const code = unitAt(text, at);
  if (code === undefined || code < 0xd800 || code > 0xdbff)
    return code === undefined ? undefined : String.fromCharCode(code);
  const isCut = text.length < at + 12 && '\\u'.startsWith(text.slice(at + 6, at + 8));
  if (isCut) return undefined;
  const low = text.startsWith('\\u', at + 6) ? unitAt(text, at + 6) : undefined;
  return low === undefined ? String.fromCharCode(code) : String.fromCharCode(code, low);
}

function unitAt(text: string, at: number): number | undefined {
  const digits = text.slice(at + 2, at + 6);
  return digits.length === 4 ? Number.parseInt(digits, 16) || 0 : undefined;
}
