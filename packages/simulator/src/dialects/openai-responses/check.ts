// Validates one Responses request completely, in the order in which OpenAI does.
import { asList, asRecord, asRecords, asText, isGiven, type JsonRecord, ofType, textsOf } from '../../json-value.ts';
import type { SealIssuer } from '../../seals.ts';
import { findFamily, firstOf, repeatAt } from '../judgement.ts';
import { checkFunctionSchema, checkOutputSchema } from '../openai-chat/check-schema.ts';
import type { ChatModelFamily } from '../openai-chat/models.ts';
import { wordProblem } from '../openai-chat/problem.ts';
import type { ChatProfile } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal, unsupportedParameter } from '../openai-chat/refusal.ts';
import { checkItems } from './check-items.ts';
import { readId } from './item-ids.ts';
import { responsesShapes } from './shapes.ts';

export function checkBody(body: JsonRecord, profile: ChatProfile, issuer: SealIssuer): ChatRefusal | undefined {
  const family = findFamily(asText(body['model']), profile.families);
  return (
    wordProblem(responsesShapes.first('Create', body)) ??
    checkOrigin(body, family, issuer) ??
    checkItems(body, issuer) ??
    checkTools(body) ??
    checkFormat(body) ??
    checkCombinations(body) ??
    (family === undefined ? undefined : checkFamily(body, family))
  );
}

/** The model and the conversation so far. */
function checkOrigin(
  body: JsonRecord,
  family: ChatModelFamily | undefined,
  issuer: SealIssuer,
): ChatRefusal | undefined {
  const isGivenHere = (name: string): boolean => isGiven(body, name);
  if (!isGivenHere('model') && !isGivenHere('prompt'))
    return badRequest("Missing required parameter: 'model'.", 'model', 'missing_required_parameter');
  // Unlike chat completions, this API reports an unknown model as an invalid request.
  if (isGivenHere('model') && family === undefined)
    return badRequest(`The requested model '${asText(body['model'])}' does not exist.`, 'model', 'model_not_found');
  if (!['input', 'previous_response_id', 'prompt', 'conversation'].some(isGivenHere))
    return badRequest(
      "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.",
      'input',
      'missing_required_parameter',
    );
  const id = asText(body['previous_response_id']);
  const minted = readId(issuer, id);
  if (!isGivenHere('previous_response_id') || (minted?.prefix === 'resp' && minted.isStored)) return undefined;
  const message = `Previous response with id '${id}' not found.`;
  return badRequest(message, 'previous_response_id', 'previous_response_not_found');
}

function checkTools(body: JsonRecord): ChatRefusal | undefined {
  const tools = asRecords(body['tools']);
  const choice = asRecord(body['tool_choice']);
  const refusal = firstOf(tools, (tool, at) => {
    const found = tool['type'] === 'function' ? checkFunctionSchema(tool, at) : undefined;
    return found && { ...found, param: `tools[${at}].parameters` };
  });
  if (refusal !== undefined) return refusal;
  const names = textsOf(ofType(tools, 'function'), 'name');
  const repeated = names[repeatAt(names)];
  if (repeated !== undefined) return badRequest(`Duplicate tool name: ${repeated}.`, 'tools');
  if (choice['type'] === 'function' && !names.includes(asText(choice['name'])))
    return badRequest("Tool choice 'function' not found in 'tools' parameter.", 'tool_choice');
  if (body['tool_choice'] !== 'required' || tools.length > 0) return undefined;
  return badRequest("Tool choice 'required' must be specified with 'tools' parameter.", 'tool_choice');
}

function checkFormat(body: JsonRecord): ChatRefusal | undefined {
  const format = asRecord(asRecord(body['text'])['format']);
  if (format['type'] === 'json_schema') {
    const refusal = checkOutputSchema(format);
    return refusal && { ...refusal, param: 'text.format.schema' };
  }
  if (format['type'] !== 'json_object') return undefined;
  if (/json/iu.test(JSON.stringify([body['input'] ?? '', body['instructions'] ?? '']))) return undefined;
  const message =
    "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
  return badRequest(message, 'input');
}

function checkCombinations(body: JsonRecord): ChatRefusal | undefined {
  if (isGiven(body, 'stream_options') && body['stream'] !== true) {
    return badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  if (isGiven(body, 'previous_response_id') && isGiven(body, 'conversation')) {
    return badRequest(
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.",
      null,
      'mutually_exclusive_parameters',
    );
  }
  if (body['background'] !== true) return undefined;
  return badRequest('Background mode is not available to this organization.', 'background');
}

function checkFamily(body: JsonRecord, family: ChatModelFamily): ChatRefusal | undefined {
  const effort = asRecord(body['reasoning'])['effort'];
  const isQuiet = effort === 'none';
  if (!family.isReasoning) {
    if (typeof effort === 'string') return unsupportedParameter('reasoning.effort');
    if (isGiven(asRecord(body['reasoning']), 'summary')) return unsupportedParameter('reasoning.summary');
    return asList(body['include']).includes('reasoning.encrypted_content')
      ? badRequest('Encrypted content is not supported with this model.', 'include')
      : undefined;
  }
  if (typeof effort === 'string' && !family.efforts.includes(effort)) {
    const supported = family.efforts.map((one) => `'${one}'`).join(', ');
    const message = `Unsupported value: '${effort}' is not supported with the '${asText(body['model'])}' model. Supported values are: ${supported}.`;
    return badRequest(message, 'reasoning.effort', 'unsupported_value');
  }
  const sampling = ['temperature', 'top_p', 'top_logprobs'].find((name) => isGiven(body, name));
  if (sampling !== undefined && !isQuiet) return unsupportedParameter(sampling);
  const verbosity = asRecord(body['text'])['verbosity'];
  if (typeof verbosity === 'string' && !family.hasVerbosity && verbosity !== 'medium') {
    return unsupportedParameter('text.verbosity');
  }
  return undefined;
}
