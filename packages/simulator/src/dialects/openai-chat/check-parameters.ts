// Top-level parameters: known, well typed, in range, allowed for the model, allowed together.
import { isGiven, type JsonRecord } from '../../json-value.ts';
import type { ChatModelFamily } from './models.ts';
import { explain } from './problem.ts';
import type { ChatProfile } from './profiles.ts';
import { badRequest, type ChatRefusal, unsupportedParameter } from './refusal.ts';
import { chatShapes } from './shapes.ts';

const KNOWN: ReadonlySet<string> = new Set(chatShapes.names('Parameters'));

export function checkShape(body: JsonRecord, { ignoresUnknown }: ChatProfile): ChatRefusal | undefined {
  const unknown = ignoresUnknown ? [] : Object.keys(body).filter((name) => !KNOWN.has(name));
  if (unknown.length > 0) {
    const plural = unknown.length > 1 ? 's' : '';
    return badRequest(`Unrecognized request argument${plural} supplied: ${unknown.join(', ')}`, null);
  }
  if (!isGiven(body, 'model')) return badRequest('you must provide a model parameter', null);
  if (!ignoresUnknown) return explain('Parameters', body, [], false);
  return explain('CompatibleParameters', body, [], true) ?? explain('AddedParameters', body, [], true);
}

/** Reasoning models accept these only at the default value. */
const FIXED_VALUES = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 } as const;

export function checkModelLimits(body: JsonRecord, family: ChatModelFamily): ChatRefusal | undefined {
  if (family.isReasoning) {
    if (isGiven(body, 'max_tokens')) return unsupportedParameter('max_tokens', " Use 'max_completion_tokens' instead.");
    for (const [name, fixed] of Object.entries(FIXED_VALUES)) {
      if (!isGiven(body, name) || body[name] === fixed) continue;
      const message = `Unsupported value: '${name}' does not support ${String(body[name])} with this model. Only the default (${fixed}) value is supported.`;
      return badRequest(message, name, 'unsupported_value');
    }
    const refused = family.refuses.find((name) => isGiven(body, name) && body[name] !== false);
    if (refused !== undefined) return unsupportedParameter(refused);
  }
  const { verbosity } = body;
  const effort = String(body['reasoning_effort']);
  if (isGiven(body, 'reasoning_effort') && !family.efforts.includes(effort)) {
    if (!family.isReasoning) return badRequest('Unrecognized request argument supplied: reasoning_effort', null);
    const supported = family.efforts.map((one) => `'${one}'`).join(', ');
    const message = `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${supported}.`;
    return badRequest(message, 'reasoning_effort', 'unsupported_value');
  }
  if (!isGiven(body, 'verbosity') || family.hasVerbosity || verbosity === 'medium') return undefined;
  const message = `Unsupported value: '${String(verbosity)}' is not supported with this model. Supported values are: 'medium'.`;
  return badRequest(message, 'verbosity', 'unsupported_value');
}

const MAX_METADATA_NAME_LENGTH = 64;

export function checkCombinations(body: JsonRecord): ChatRefusal | undefined {
  if (isGiven(body, 'max_tokens') && isGiven(body, 'max_completion_tokens')) {
    const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    return badRequest(message, 'max_tokens', 'invalid_parameter_combination');
  }
  if (isGiven(body, 'stream_options') && body['stream'] !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return badRequest(message, 'stream_options');
  }
  if (isGiven(body, 'top_logprobs') && body['logprobs'] !== true) {
    const message = "Invalid value for 'top_logprobs': 'top_logprobs' is only allowed when 'logprobs' is enabled.";
    return badRequest(message, 'top_logprobs');
  }
  const names = Object.keys(Object(body['metadata'] ?? {}));
  const long = names.find((name) => name.length > MAX_METADATA_NAME_LENGTH);
  if (long === undefined) return undefined;
  const message = `Invalid 'metadata': property name too long. Expected a maximum length of ${MAX_METADATA_NAME_LENGTH}, but got ${long.length} instead.`;
  return badRequest(message, 'metadata', 'property_name_above_max_length');
}
