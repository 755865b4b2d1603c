// Top-level parameters: known, well typed, in range, allowed for the model, allowed together.
import type { JsonRecord } from '../../json-value.ts';
import { firstOf } from '../judgement.ts';
import { explain } from './explain.ts';
import type { ChatModelFamily } from './models.ts';
import type { ChatProfile } from './profiles.ts';
import { badRequest, type ChatRefusal, unsupportedParameter } from './refusal.ts';
import {
  compatibleCommonCheck,
  compatibleParametersCheck,
  knownParameters,
  parametersCheck,
} from './wire-parameters.ts';

export function checkShape(body: JsonRecord, profile: ChatProfile): ChatRefusal | undefined {
  const options = { at: [], ignoreUnknown: profile.ignoresUnknown };
  return firstOf(
    () => (profile.ignoresUnknown ? undefined : checkKnown(body)),
    () => (isGiven(body, 'model') ? undefined : badRequest('you must provide a model parameter', null)),
    () => explain(profile.ignoresUnknown ? compatibleCommonCheck : parametersCheck, body, options),
    () => (profile.ignoresUnknown ? explain(compatibleParametersCheck, body, options) : undefined),
  );
}

export function isGiven(body: JsonRecord, name: string): boolean {
  return body[name] !== undefined && body[name] !== null;
}

function checkKnown(body: JsonRecord): ChatRefusal | undefined {
  const unknown = Object.keys(body).filter((name) => !knownParameters.has(name));
  if (unknown.length === 0) return undefined;
  const plural = unknown.length > 1 ? 's' : '';
  return badRequest(`Unrecognized request argument${plural} supplied: ${unknown.join(', ')}`, null);
}

export function checkModelLimits(body: JsonRecord, family: ChatModelFamily): ChatRefusal | undefined {
  return firstOf(
    () => checkRefusedParameters(body, family),
    () => checkEffort(body, family),
    () => checkVerbosity(body, family),
  );
}

/** Reasoning models accept these only at the default value. */
const FIXED_VALUES: readonly (readonly [string, number])[] = [
  ['temperature', 1],
  ['top_p', 1],
  ['presence_penalty', 0],
  ['frequency_penalty', 0],
];

function checkRefusedParameters(body: JsonRecord, family: ChatModelFamily): ChatRefusal | undefined {
  if (!family.isReasoning) return undefined;
  if (isGiven(body, 'max_tokens')) return unsupportedParameter('max_tokens', " Use 'max_completion_tokens' instead.");
  for (const [name, fixed] of FIXED_VALUES) {
    if (!isGiven(body, name) || body[name] === fixed) continue;
    const message = `Unsupported value: '${name}' does not support ${String(body[name])} with this model. Only the default (${fixed}) value is supported.`;
    return badRequest(message, name, 'unsupported_value');
  }
  const refused = family.refuses.find((name) => isGiven(body, name) && body[name] !== false);
  return refused === undefined ? undefined : unsupportedParameter(refused);
}

function checkEffort(body: JsonRecord, family: ChatModelFamily): ChatRefusal | undefined {
  if (!isGiven(body, 'reasoning_effort')) return undefined;
  if (!family.isReasoning) return badRequest('Unrecognized request argument supplied: reasoning_effort', null);
  const effort = String(body['reasoning_effort']);
  if (family.efforts.includes(effort)) return undefined;
  const supported = family.efforts.map((one) => `'${one}'`).join(', ');
  const message = `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${supported}.`;
  return badRequest(message, 'reasoning_effort', 'unsupported_value');
}

function checkVerbosity(body: JsonRecord, family: ChatModelFamily): ChatRefusal | undefined {
  if (!isGiven(body, 'verbosity') || family.hasVerbosity || body['verbosity'] === 'medium') return undefined;
  const message = `Unsupported value: '${String(body['verbosity'])}' is not supported with this model. Supported values are: 'medium'.`;
  return badRequest(message, 'verbosity', 'unsupported_value');
}

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
  return checkMetadataNames(body['metadata']);
}

const MAX_METADATA_NAME_LENGTH = 64;

function checkMetadataNames(metadata: unknown): ChatRefusal | undefined {
  const long = Object.keys(Object(metadata ?? {})).find((name) => name.length > MAX_METADATA_NAME_LENGTH);
  if (long === undefined) return undefined;
  const message = `Invalid 'metadata': property name too long. Expected a maximum length of ${MAX_METADATA_NAME_LENGTH}, but got ${long.length} instead.`;
  return badRequest(message, 'metadata', 'property_name_above_max_length');
}
