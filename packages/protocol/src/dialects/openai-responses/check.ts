/** Unknown → a structurally valid Responses request. */
import type { JsonObject } from '../../canonical/json.ts';
import {
  checkWith,
  compile,
  isGiven,
  malformed,
  membersWith,
  refuseUnpriced,
  refuseUnreadPrivacy,
  unsupported,
} from '../checking.ts';
import type { Sealing } from '../dialect.ts';
import { type CheckedInput, checkInput } from './check-input.ts';
import {
  type CheckedFormat,
  type CheckedResponsesTool,
  type CheckedToolChoice,
  checkFormat,
  checkToolChoice,
  checkTools,
} from './check-tools.ts';
import { LOGPROBS, MONEY_MEMBERS, REFUSED_FIELDS } from './known-fields.ts';
import { ResponsesCallWire } from './wire.ts';

const UNPRICED_FIELDS = membersWith(MONEY_MEMBERS, 'refused');
const call = compile(ResponsesCallWire);

export type CheckedResponses = {
  readonly wire: ResponsesCallWire;
  readonly body: JsonObject;
  readonly input: CheckedInput;
  readonly tools: readonly CheckedResponsesTool[];
  /** Some tools were dropped, because their types are unknown here. */
  readonly unknownTools: boolean;
  readonly toolChoice: CheckedToolChoice | undefined;
  readonly format: CheckedFormat | undefined;
};

/** `isStateful`: answers can be stored here. */
export function checkResponses(body: JsonObject, sealing: Sealing | undefined, isStateful = false): CheckedResponses {
  for (const field of REFUSED_FIELDS)
    if (isGiven(body[field]))
      throw unsupported(
        field,
        field === 'prompt'
          ? "needs stored state of a vendor's account: send its text"
          : 'needs stored state, which this gateway keeps only where its operator sets `state.keepHours`',
      );
  const wire = checkWith(call, body, '');
  refuseUnpriced(body, UNPRICED_FIELDS);
  refuseUnreadPrivacy(body);
  if (wire.background === true && !isStateful)
    throw unsupported(
      'background',
      'needs stored state, which this gateway keeps only where its operator sets `state.keepHours`',
    );
  if (wire.background === true && wire.store === false)
    throw malformed('background', 'needs a response that is stored: leave out store: false');
  if (isGiven(wire.top_logprobs) && wire.top_logprobs !== 0 && !wantsLogprobs(wire))
    throw malformed('top_logprobs', `needs include to hold ${LOGPROBS}`);
  const tools = checkTools(wire.tools ?? []);
  return {
    wire,
    body,
    input: checkInput(wire.input, sealing),
    tools,
    unknownTools: tools.length < (wire.tools?.length ?? 0),
    toolChoice: checkToolChoice(wire.tool_choice, tools),
    format: checkFormat(wire.text?.format),
  };
}

export const wantsLogprobs = (wire: ResponsesCallWire): boolean => wire.include?.includes(LOGPROBS) === true;
