// Validates one Responses request completely, in the order in which OpenAI does.
import { asList, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import type { SealIssuer } from '../../seals.ts';
import { firstOf } from '../judgement.ts';
import { checkModel } from '../openai-chat/check.ts';
import { isGiven } from '../openai-chat/check-parameters.ts';
import { checkFunctionSchema, checkOutputSchema } from '../openai-chat/check-schema.ts';
import { type ChatModelFamily, findFamily } from '../openai-chat/models.ts';
import type { ChatProfile } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal, unsupportedParameter } from '../openai-chat/refusal.ts';
import { checkItems } from './check-items.ts';
import { readId } from './item-ids.ts';
import { wordProblem } from './problem.ts';
import { createShape } from './wire-parameters.ts';

export function checkBody(body: JsonRecord, profile: ChatProfile, issuer: SealIssuer): ChatRefusal | undefined {
  const family = findFamily(asText(body['model']), profile.families);
  return firstOf(
    () => wordProblem(createShape(body, [], { ignoreUnknown: false })),
    () => checkNamed(body, profile),
    () => checkInput(body),
    () => checkPrevious(body, issuer),
    () => checkItems(body, issuer),
    () => checkTools(body),
    () => checkFormat(body),
    () => checkCombinations(body),
    () => (family === undefined ? undefined : checkFamily(body, family)),
  );
}

/** Unlike chat completions, this API reports an unknown model as an invalid request. */
function checkNamed(body: JsonRecord, profile: ChatProfile): ChatRefusal | undefined {
  const model = asText(body['model']);
  if (!isGiven(body, 'model'))
    return isGiven(body, 'prompt')
      ? undefined
      : badRequest("Missing required parameter: 'model'.", 'model', 'missing_required_parameter');
  if (checkModel(model, profile) === undefined) return undefined;
  return badRequest(`The requested model '${model}' does not exist.`, 'model', 'model_not_found');
}

function checkInput(body: JsonRecord): ChatRefusal | undefined {
  if (['input', 'previous_response_id', 'prompt', 'conversation'].some((name) => isGiven(body, name))) return undefined;
  return badRequest(
    "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.",
    'input',
    'missing_required_parameter',
  );
}

function checkPrevious(body: JsonRecord, issuer: SealIssuer): ChatRefusal | undefined {
  if (!isGiven(body, 'previous_response_id')) return undefined;
  const id = asText(body['previous_response_id']);
  const minted = readId(issuer, id);
  if (minted?.prefix === 'resp' && minted.isStored) return undefined;
  const message = `Previous response with id '${id}' not found.`;
  return badRequest(message, 'previous_response_id', 'previous_response_not_found');
}

function checkTools(body: JsonRecord): ChatRefusal | undefined {
  const tools = asList(body['tools']).map(asRecord);
  const names = tools.filter((tool) => tool['type'] === 'function').map((tool) => asText(tool['name']));
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  const choice = asRecord(body['tool_choice']);
  return firstOf(
    tools.map((tool, at) => () => (tool['type'] === 'function' ? checkFunction(tool, at) : undefined)),
    () => (repeated === undefined ? undefined : badRequest(`Duplicate tool name: ${repeated}.`, 'tools')),
    () =>
      choice['type'] === 'function' && !names.includes(asText(choice['name']))
        ? badRequest("Tool choice 'function' not found in 'tools' parameter.", 'tool_choice')
        : undefined,
    () =>
      body['tool_choice'] === 'required' && tools.length === 0
        ? badRequest("Tool choice 'required' must be specified with 'tools' parameter.", 'tool_choice')
        : undefined,
  );
}

function checkFunction(tool: JsonRecord, at: number): ChatRefusal | undefined {
  const refusal = checkFunctionSchema(tool, at);
  return refusal === undefined ? undefined : { ...refusal, param: `tools[${at}].parameters` };
}

function checkFormat(body: JsonRecord): ChatRefusal | undefined {
  const format = asRecord(asRecord(body['text'])['format']);
  if (format['type'] === 'json_schema') {
    const refusal = checkOutputSchema(format);
    return refusal === undefined ? undefined : { ...refusal, param: 'text.format.schema' };
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
