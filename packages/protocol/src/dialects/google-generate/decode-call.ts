/** A checked generateContent request → the canonical call. */

import type { Effort, OutputFormat, Reasoning, Sampling, TextCall, Tool, ToolChoice } from '../../canonical/call.ts';
import { isEffort } from '../../canonical/effort.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import { fromOpenApi } from '../../passes/json-schema.ts';
import { markPrefill } from '../../passes/normalise-turns.ts';
import type { CheckedGenerate } from './check.ts';
import { imageOutputOf } from './check-config.ts';
import { decodeContents, decodeSystem, readResolution } from './decode-contents.ts';
import { HOME } from './seals.ts';

export function decodeCall(checked: CheckedGenerate): TextCall {
  const { body, config, head } = checked;
  const tools = arrayAt(body, 'tools').filter(isJsonObject);
  const toolConfig = objectAt(body, 'toolConfig');
  const { functionCallingConfig: _, ...otherToolConfig } = toolConfig ?? {};
  const toolChoice = decodeToolChoice(objectAt(toolConfig, 'functionCallingConfig'));
  const reasoning = decodeReasoning(objectAt(config, 'thinkingConfig'));
  const output = decodeOutput(config);
  const cachedContent = stringAt(body, 'cachedContent');
  const webSearch = decodeWebSearch(tools);
  const safety = arrayAt(body, 'safetySettings').filter(isJsonObject).map(decodeSafety);
  const ownSearch = ownSearchSettings(tools);
  const own: JsonObject = {
    ...(Object.keys(otherToolConfig).length > 0 && { toolConfig: otherToolConfig }),
    ...(Object.keys(ownSearch).length > 0 && { googleSearch: ownSearch }),
  };
  return {
    operation: 'text',
    model: checked.model,
    stream: checked.stream,
    system: decodeSystem(objectAt(body, 'systemInstruction'), head),
    turns: markPrefill(decodeContents(checked.contents, head)),
    tools: tools.flatMap(decodeTool),
    ...(toolChoice !== undefined && { toolChoice }),
    sampling: decodeSampling(config),
    ...(reasoning !== undefined && { reasoning }),
    ...(output !== undefined && { output }),
    ...decodeMediaOptions(config),
    ...(cachedContent !== undefined && { cachedContent: { owner: HOME, kind: 'ref', data: cachedContent } }),
    ...(safety.length > 0 && { safety }),
    ...(webSearch !== undefined && { webSearch }),
    ...(checked.labels !== undefined && { metadata: checked.labels }),
    usageWanted: { inStream: true, withCost: false },
    extras: Object.keys(own).length > 0 ? { 'google-generate': own } : {},
  };
}

function decodeSampling(config: JsonObject): Sampling {
  const numbers = Object.fromEntries(
    NUMBERS.flatMap(([wire, own]) => {
      const value = numberAt(config, wire);
      return value === undefined ? [] : [[own, value] as const];
    }),
  );
  const stop = arrayAt(config, 'stopSequences').filter((each) => typeof each === 'string');
  const asked = config['responseLogprobs'];
  return {
    ...numbers,
    ...(stop.length > 0 && { stopSequences: stop }),
    ...(typeof asked === 'boolean' && { logprobs: asked }),
  };
}

/** Numeric members that exist in both forms. */
const NUMBERS = [
  ['maxOutputTokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['topP', 'topP'],
  ['topK', 'topK'],
  ['seed', 'seed'],
  ['frequencyPenalty', 'frequencyPenalty'],
  ['presencePenalty', 'presencePenalty'],
  ['candidateCount', 'candidates'],
  ['logprobs', 'topLogprobs'],
] as const satisfies readonly (readonly [wire: string, own: keyof Sampling])[];

function decodeReasoning(thinking: JsonObject | undefined): Reasoning | undefined {
  if (thinking === undefined) return undefined;
  const budget = numberAt(thinking, 'thinkingBudget');
  const effort = effortIn(thinking);
  return {
    ...(budget === 0 && { enabled: false }),
    ...(effort !== undefined && { effort }),
    ...(budget !== undefined && { budgetTokens: budget }),
    show: thinking['includeThoughts'] === true ? 'summary' : 'none',
  };
}

/** An unspecified level counts as absent. */
export function effortIn(thinking: JsonObject | undefined): Effort | undefined {
  const level = stringAt(thinking, 'thinkingLevel')?.toLowerCase();
  return level !== undefined && isEffort(level) ? level : undefined;
}

export function enumValuesOf(config: JsonObject): readonly string[] | undefined {
  if (config['responseMimeType'] !== 'text/x.enum') return undefined;
  const values = arrayAt(objectAt(config, 'responseSchema'), 'enum').filter((value) => typeof value === 'string');
  return values.length > 0 ? values : undefined;
}

function decodeOutput(config: JsonObject): OutputFormat | undefined {
  const values = enumValuesOf(config);
  if (values !== undefined) return { kind: 'enum', values };
  const own = objectAt(config, 'responseSchema');
  const schema = own === undefined ? objectAt(config, 'responseJsonSchema') : fromOpenApi(own);
  if (schema !== undefined) return { kind: 'schema', schema };
  switch (config['responseMimeType']) {
    case 'application/json':
      return { kind: 'json' };
    case 'text/plain':
      return { kind: 'text' };
    default:
      return undefined;
  }
}

const MODALITIES = { TEXT: 'text', IMAGE: 'image', AUDIO: 'audio' } as const;

function decodeMediaOptions(
  config: JsonObject,
): Pick<TextCall, 'modalities' | 'imageOutput' | 'speech' | 'mediaResolution' | 'audioTimestamp'> {
  const given = arrayAt(config, 'responseModalities');
  const modalities = (['TEXT', 'IMAGE', 'AUDIO'] as const)
    .filter((each) => given.includes(each))
    .map((each) => MODALITIES[each]);
  const image = objectAt(config, 'imageConfig');
  const speech = objectAt(config, 'speechConfig');
  const mediaResolution = readResolution(stringAt(config, 'mediaResolution'));
  const audioTimestamp = config['audioTimestamp'];
  return {
    ...(modalities.length > 0 && { modalities }),
    ...(image !== undefined && { imageOutput: decodeImage(image) }),
    ...(speech !== undefined && { speech }),
    ...(mediaResolution !== undefined && { mediaResolution }),
    ...(typeof audioTimestamp === 'boolean' && { audioTimestamp }),
  };
}

export function decodeImage(image: JsonObject): JsonObject {
  const { outputMimeType: _m, outputCompressionQuality: _q, imageOutputOptions: _o, ...rest } = image;
  const options = imageOutputOf(image);
  return Object.keys(options).length > 0 ? { ...rest, imageOutputOptions: options } : rest;
}

const FAMILIES = {
  codeExecution: 'code',
  urlContext: 'url-context',
  googleMaps: 'maps',
  fileSearch: 'file-search',
  computerUse: 'computer',
  retrieval: 'retrieval',
} as const;
const isFamily = (name: string): name is keyof typeof FAMILIES => Object.hasOwn(FAMILIES, name);
const SEARCHES: readonly string[] = ['googleSearch', 'googleSearchRetrieval'];

function decodeTool(tool: JsonObject): Tool[] {
  return Object.entries(tool).flatMap(([name, settings]): Tool[] => {
    if (name === 'functionDeclarations') return arrayAt(tool, name).filter(isJsonObject).map(decodeDeclaration);
    if (SEARCHES.includes(name) || !isJsonObject(settings)) return [];
    return [
      {
        kind: 'built-in',
        dialect: 'google-generate',
        family: isFamily(name) ? FAMILIES[name] : 'other',
        name,
        settings,
      },
    ];
  });
}

function decodeDeclaration(declaration: JsonObject): Tool {
  const { name, description, parameters, parametersJsonSchema, ...rest } = declaration;
  const schema = isJsonObject(parameters) ? fromOpenApi(parameters) : parametersJsonSchema;
  return {
    kind: 'function',
    name: typeof name === 'string' ? name : '',
    ...(typeof description === 'string' && { description }),
    ...(isJsonObject(schema) && { parameters: schema }),
    ...(Object.keys(rest).length > 0 && { extras: { 'google-generate': rest } }),
  };
}

function decodeWebSearch(tools: readonly JsonObject[]): TextCall['webSearch'] {
  const search = tools.find((tool) => SEARCHES.some((name) => tool[name] !== undefined));
  if (search === undefined) return undefined;
  const excluded = arrayAt(objectAt(search, 'googleSearch'), 'excludeDomains').filter(
    (domain) => typeof domain === 'string',
  );
  return { amongTools: true, ...(excluded.length > 0 && { blockedDomains: excluded }) };
}

/** Search settings that only this dialect has. */
function ownSearchSettings(tools: readonly JsonObject[]): JsonObject {
  const search = tools.find((tool) => tool['googleSearch'] !== undefined);
  const { excludeDomains: _, ...own } = objectAt(search, 'googleSearch') ?? {};
  return own;
}

function decodeToolChoice(calling: JsonObject | undefined): ToolChoice | undefined {
  const mode = stringAt(calling, 'mode');
  const names = arrayAt(calling, 'allowedFunctionNames').filter((name) => typeof name === 'string');
  const only = names[0];
  switch (mode) {
    case 'NONE':
      return { mode: 'none' };
    case 'ANY':
      if (only === undefined) return { mode: 'any' };
      return names.length === 1 ? { mode: 'one', name: only } : { mode: 'some', names, required: true };
    case 'VALIDATED':
      return only === undefined ? { mode: 'validated' } : { mode: 'some', names, required: false };
    case 'AUTO':
      return { mode: 'auto' };
    default:
      return undefined;
  }
}

function decodeSafety(setting: JsonObject): NonNullable<TextCall['safety']>[number] {
  const method = stringAt(setting, 'method');
  return {
    category: stringAt(setting, 'category') ?? '',
    threshold: stringAt(setting, 'threshold') ?? '',
    ...(method !== undefined && { method }),
  };
}
