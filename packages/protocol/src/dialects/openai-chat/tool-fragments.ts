/**
 * Assembles tool call fragments. Servers may omit the index, repeat or delay id and name, use index 0 for every call,
 * or send a call whole: a block opens as soon as its name is known, and earlier fragments wait for it.
 */
import type { Event } from '../../canonical/events.ts';
import { tooManyOf } from '../../canonical/gateway-error.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import type { BlockWriter } from '../../stream/block-writer.ts';
import { argumentsText, customOf } from './decode-answer.ts';

type Call = {
  readonly key: string;
  id: string;
  name: string;
  form: 'function' | 'custom';
  waiting: string;
  open: boolean;
  minted: boolean;
};

/** More parallel calls than any model makes; a bound against a hostile stream. */
export const MAX_CALLS = 512;

export class ToolFragments {
  readonly #blocks: BlockWriter;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();

  constructor(blocks: BlockWriter) {
    this.#blocks = blocks;
  }

  get seen(): boolean {
    return this.#calls.length > 0;
  }

  push(fragment: JsonObject, out: Event[]): void {
    const custom = customOf(fragment);
    const called = custom ?? objectAt(fragment, 'function');
    const id = stringAt(fragment, 'id') ?? '';
    const name = stringAt(called, 'name') ?? '';
    const call = this.#callOf(numberAt(fragment, 'index'), id, name);
    if (custom !== undefined) call.form = 'custom';
    if (call.id === '') call.id = id;
    if (call.name === '') call.name = name;
    const text = custom === undefined ? argumentsText(called?.['arguments']) : (stringAt(custom, 'input') ?? '');
    if (call.open) this.#write(call, text, out);
    else if (call.name !== '') this.#write(call, call.waiting + text, out);
    else call.waiting += text;
  }

  /** Calls whose name never arrived are emitted without one rather than lost. */
  flush(out: Event[]): void {
    for (const call of this.#calls) if (!call.open) this.#write(call, call.waiting, out);
  }

  #write(call: Call, text: string, out: Event[]): void {
    if (!call.open) {
      call.open = true;
      call.waiting = '';
      call.minted = call.id === '';
      if (call.minted) call.id = `call_${this.#calls.indexOf(call)}`;
    }
    const { id, name, form } = call;
    const block = { kind: 'tool-call', id, ...(call.minted && { idMinted: true }), name, form } as const;
    this.#blocks.delta(call.key, block, text, out);
  }

  #callOf(index: number | undefined, id: string, name: string): Call {
    const last = this.#calls[this.#calls.length - 1];
    const known =
      index === undefined ? (id === '' ? last : this.#calls.find((call) => call.id === id)) : this.#byIndex.get(index);
    // The same index with another id and a name is another call: such servers send index 0 for all of them.
    const isAnother = known !== undefined && id !== '' && known.id !== '' && known.id !== id && name !== '';
    // Neither index nor id, but a name: a new call in one fragment, not a repetition of the last one.
    const isNameless = index === undefined && id === '' && name !== '' && known?.open === true;
    if (known !== undefined && !isAnother && !isNameless) return known;
    if (this.#calls.length >= MAX_CALLS) throw tooManyOf(MAX_CALLS, 'tool calls');
    const call: Call = {
      key: `tool:${this.#calls.length}`,
      id: '',
      name: '',
      form: 'function',
      waiting: '',
      open: false,
      minted: false,
    };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}
