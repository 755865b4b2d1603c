/** Unknown → a structurally valid generateContent request. */
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { type Loss, PathLosses } from '../../canonical/loss.ts';
import { checkWith, compile, malformed } from '../checking.ts';
import type { RequestHead } from '../dialect.ts';
import { checkConfig, droppedFromConfig, isKeptInConfig } from './check-config.ts';
import { checkPart, checkSystemPart, type PartTraits } from './check-parts.ts';
import { checkComplexity, checkSchema } from './check-schema.ts';
import { tidied } from './tidy.ts';
import { FunctionDeclarationsWire, RootWire } from './wire.ts';

const root = compile(RootWire);
const declarations = compile(FunctionDeclarationsWire);
const KNOWN: ReadonlySet<string> = new Set(Object.keys(RootWire.properties));

export const isRootMember = (name: string): boolean => KNOWN.has(name);

export type CheckedGenerate = {
  /** As the caller wrote it. */
  readonly original: JsonObject;
  /** In this dialect's own spelling, without members that are never forwarded. */
  readonly body: JsonObject;
  readonly contents: readonly JsonObject[];
  readonly config: JsonObject;
  readonly model: string;
  readonly stream: boolean;
  readonly head: RequestHead | undefined;
  readonly traits: PartTraits;
  readonly losses: readonly Loss[];
  readonly labels: JsonObject | undefined;
};

/** Opaque state that cannot be opened: tampered with, or another account's. It is dropped with a loss. */
function voidEnvelopes(contents: readonly Json[], head: RequestHead | undefined): readonly Loss[] {
  const { sealing } = head ?? {};
  if (sealing === undefined) return [];
  const losses = new PathLosses();
  for (const [turn, content] of contents.filter(isJsonObject).entries())
    for (const [position, part] of arrayAt(content, 'parts').entries()) {
      const text = isJsonObject(part) ? (stringAt(part, 'thoughtSignature') ?? '') : '';
      if (sealing.isEnvelope(text) && sealing.unwrap(text) === undefined)
        losses.add(`contents[${turn}].parts[${position}].thoughtSignature`, 'foreign-seal');
    }
  return losses.all;
}

export function checkGenerate(original: JsonObject, head: RequestHead | undefined): CheckedGenerate {
  const given = tidied(original);
  checkWith(root, given, '');
  const traits: PartTraits = { media: [], signatures: false, ultraResolution: undefined };
  const contents = checkContents(arrayAt(given, 'contents'), traits);
  const system = objectAt(given, 'systemInstruction');
  for (const [position, part] of arrayAt(system, 'parts').filter(isJsonObject).entries()) {
    const path = `systemInstruction.parts[${position}]`;
    checkSystemPart(checkPart(part, path, false, traits), path);
  }
  const names = checkTools(arrayAt(given, 'tools'));
  checkToolConfig(objectAt(given, 'toolConfig'), names);
  checkSafety(arrayAt(given, 'safetySettings'));
  const config = objectAt(given, 'generationConfig') ?? {};
  checkConfig(config);
  checkCachedContent(given);
  const losses = [...droppedFromRoot(given), ...droppedFromConfig(config)];
  if (traits.signatures) for (const loss of voidEnvelopes(contents, head)) losses.push(loss);
  const keptConfig = withOnly(config, (name) => isKeptInConfig(config, name));
  const kept = withOnly(given, isRootMember);
  const body = {
    ...kept,
    ...(contents !== kept['contents'] && { contents }),
    ...(keptConfig !== config && { generationConfig: keptConfig }),
  };
  return {
    original,
    body,
    contents: contents.filter(isJsonObject),
    config: keptConfig,
    model: head?.model ?? '',
    stream: head?.stream === true,
    head,
    traits,
    losses,
    labels: objectAt(given, 'labels'),
  };
}

/** The same list if nothing in it had to change. A turn without a role is the user's. */
function checkContents(contents: readonly Json[], traits: PartTraits): readonly Json[] {
  let changed: Json[] | undefined;
  for (const [turn, content] of contents.entries()) {
    if (!isJsonObject(content)) continue;
    const parts = arrayAt(content, 'parts').filter(isJsonObject);
    const ofModel = content['role'] === 'model';
    const checked = parts.map((part, position) =>
      checkPart(part, `contents[${turn}].parts[${position}]`, ofModel, traits),
    );
    if (content['role'] !== undefined && checked.every((part, position) => part === parts[position])) continue;
    changed ??= [...contents];
    changed[turn] = { ...content, role: content['role'] ?? 'user', parts: checked };
  }
  return changed ?? contents;
}

function checkTools(tools: readonly Json[]): string[] {
  const names: string[] = [];
  for (const [position, tool] of tools.entries()) {
    if (!isJsonObject(tool)) continue;
    for (const [kind, settings] of Object.entries(tool)) {
      const path = `tools[${position}].${kind}`;
      if (kind === 'functionDeclarations') {
        checkWith(declarations, settings, path);
        for (const name of checkDeclarations(arrayAt(tool, kind), path)) names.push(name);
      } else if (!isJsonObject(settings)) throw malformed(path, 'must be an object');
    }
  }
  return names;
}

function checkDeclarations(list: readonly Json[], path: string): string[] {
  return list.filter(isJsonObject).map((declaration, position) => {
    const where = `${path}[${position}]`;
    const parameters = objectAt(declaration, 'parameters');
    if (parameters !== undefined && declaration['parametersJsonSchema'] !== undefined)
      throw malformed(`${where}.parametersJsonSchema`, 'cannot be combined with parameters');
    if (parameters !== undefined) checkSchema(parameters, `${where}.parameters`);
    const jsonSchema = objectAt(declaration, 'parametersJsonSchema');
    if (jsonSchema !== undefined) checkComplexity(jsonSchema, `${where}.parametersJsonSchema`);
    return stringAt(declaration, 'name') ?? '';
  });
}

function checkToolConfig(toolConfig: JsonObject | undefined, declared: readonly string[]): void {
  const calling = objectAt(toolConfig, 'functionCallingConfig');
  const path = 'toolConfig.functionCallingConfig';
  if (calling?.['mode'] === 'ANY' && declared.length === 0)
    throw malformed(`${path}.mode`, 'cannot be ANY without functionDeclarations');
  const known = new Set<Json>(declared);
  const allowed = arrayAt(calling, 'allowedFunctionNames');
  for (const [position, name] of allowed.entries())
    if (!known.has(name))
      throw malformed(`${path}.allowedFunctionNames[${position}]`, 'names a function that is not declared');
}

function checkSafety(settings: readonly Json[]): void {
  const seen = new Set<string>();
  for (const [position, setting] of settings.entries()) {
    const category = isJsonObject(setting) ? (stringAt(setting, 'category') ?? '') : '';
    if (seen.has(category)) throw malformed(`safetySettings[${position}].category`, 'is given twice');
    seen.add(category);
  }
}

/** Cached content includes its own instructions and tools, and cannot be combined with others. */
function checkCachedContent(body: JsonObject): void {
  if (body['cachedContent'] === undefined) return;
  for (const name of ['systemInstruction', 'tools', 'toolConfig'])
    if (body[name] !== undefined) throw malformed('cachedContent', `cannot be combined with ${name}`);
}

function droppedFromRoot(body: JsonObject): readonly Loss[] {
  const losses = new PathLosses();
  for (const name in body)
    if (!KNOWN.has(name)) losses.add(name, name === 'labels' ? 'not-forwarded' : 'no-equivalent');
  return losses.all;
}

/** The same object if all of its members are kept. Of thousands of members, few are. */
function withOnly(object: JsonObject, isKept: (name: string) => boolean): JsonObject {
  const kept: Record<string, Json> = {};
  let isWhole = true;
  for (const name in object)
    if (isKept(name)) kept[name] = object[name] ?? null;
    else isWhole = false;
  return isWhole ? object : kept;
}
