/**
 * Tool call fragments in the form callers expect: the first of each call complete, later ones with arguments only, one
 * index per call. Streams of servers that number, name or repeat differently are corrected; others pass unchanged.
 */
import { tooManyOf } from '../../canonical/gateway-error.ts';
import { isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { distinctId } from '../../passes/distinct-calls.ts';
import { argumentsText } from './decode-answer.ts';
import { MAX_CALLS } from './tool-fragments.ts';

/** `given`: the host's id, which may be that of an earlier call; `id`: its own. */
type Call = { readonly index: number; given: string; id: string; open: boolean; waiting: string };

export class VerbatimCalls {
  readonly #calls: Call[] = [];
  readonly #byGivenIndex = new Map<number, Call>();

  get seen(): boolean {
    return this.#calls.length > 0;
  }

  /** The same delta if nothing had to change. */
  tidy(delta: JsonObject): JsonObject {
    const fragments = delta['tool_calls'];
    if (!Array.isArray(fragments)) return delta;
    const tidied = fragments.flatMap((fragment) => (isJsonObject(fragment) ? this.#fragments(fragment) : [fragment]));
    if (tidied.length === fragments.length && tidied.every((fragment, at) => fragment === fragments[at])) return delta;
    const { tool_calls: _, ...rest } = delta;
    return tidied.length === 0 ? rest : { ...rest, tool_calls: tidied };
  }

  /** Empty while the name is missing: earlier fragments are sent right after it. */
  #fragments(fragment: JsonObject): readonly JsonObject[] {
    const called = objectAt(fragment, 'function');
    if (called === undefined) return [fragment];
    const id = stringAt(fragment, 'id') ?? '';
    const name = stringAt(called, 'name') ?? '';
    const call = this.#callOf(fragment['index'], id, name);
    if (call.given === '' && id !== '') {
      call.given = id;
      call.id = distinctId(id, (each) => this.#calls.some((other) => other.id === each));
    }
    const text = argumentsText(called['arguments']);
    if (call.open) return [isBare(fragment, called, call) ? fragment : later(call, text)];
    call.waiting += text;
    if (name === '') return [];
    call.open = true;
    if (isOpening(fragment, called, call)) return [fragment];
    const opening = first(call, called, name);
    return call.waiting === '' ? [opening] : [opening, later(call, call.waiting)];
  }

  #callOf(given: unknown, id: string, name: string): Call {
    const index = typeof given === 'number' ? given : undefined;
    const known =
      index === undefined
        ? id === ''
          ? this.#calls.at(-1)
          : this.#calls.find((call) => call.given === id)
        : this.#byGivenIndex.get(index);
    // The same index with another id and a name is another call: such servers send index 0 for all of them.
    const isAnother = known !== undefined && id !== '' && known.given !== '' && known.given !== id && name !== '';
    // Neither index nor id, but a name: a new call in one fragment, not a repetition of the last one.
    const isNameless = index === undefined && id === '' && name !== '' && known?.open === true;
    if (known !== undefined && !isAnother && !isNameless) return known;
    if (this.#calls.length >= MAX_CALLS) throw tooManyOf(MAX_CALLS, 'tool calls');
    const call: Call = { index: this.#calls.length, given: '', id: '', open: false, waiting: '' };
    this.#calls.push(call);
    if (index !== undefined) this.#byGivenIndex.set(index, call);
    return call;
  }
}

const isOpening = (fragment: JsonObject, called: JsonObject, call: Call): boolean =>
  fragment['index'] === call.index &&
  fragment['id'] === call.id &&
  call.id !== '' &&
  fragment['type'] === 'function' &&
  called['arguments'] === '' &&
  call.waiting === '';

const isBare = (fragment: JsonObject, called: JsonObject, call: Call): boolean =>
  fragment['index'] === call.index &&
  fragment['id'] === undefined &&
  fragment['type'] === undefined &&
  called['name'] === undefined &&
  typeof called['arguments'] === 'string';

const first = (call: Call, called: JsonObject, name: string): JsonObject => ({
  index: call.index,
  id: call.id === '' ? `call_${call.index}` : call.id,
  type: 'function',
  function: { ...called, name, arguments: '' },
});

const later = (call: Call, text: string): JsonObject => ({ index: call.index, function: { arguments: text } });
