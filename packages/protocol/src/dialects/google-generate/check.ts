/** Unknown → a structurally valid generateContent request. */
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import { type Loss, PathLosses } from '../../canonical/loss.ts';
import { checkWith, compile, malformed } from '../checking.ts';
import type { RequestHead } from '../dialect.ts';
import { checkConfig, droppedFromConfig, isKeptInConfig } from './check-config.ts';
import { checkPart, checkSystemPart, type PartTraits } from './check-parts.ts';
import { checkComplexity, checkSchema } from './check-schema.ts';
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
  const given = tidiedObject(original, '');
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

// Members in this dialect's own spelling and without nulls: snake_case is read as camelCase, and null as absent. The
// caller's own data (arguments, results, JSON Schemas, labels) is never changed. Unchanged values keep their
// identity, which shows which members of a request were rewritten.

const WORDS_OF_THE_CALLER: ReadonlySet<string> = new Set([
  'args',
  'response',
  'responseJsonSchema',
  'parametersJsonSchema',
  'responseFormat',
  'labels',
  'default',
  'example',
  'enum',
]);
/** The caller names their members, and the values are in this dialect again. */
const MAPS: ReadonlySet<string> = new Set(['properties']);

function tidiedObject(object: JsonObject, path: string): JsonObject {
  let changed: Record<string, Json> | undefined;
  const seen: string[] = [];
  for (const name in object) {
    const value = object[name] ?? null;
    // Below the root only schemas use `oneOf`, which this dialect does not have: it is read as `anyOf`.
    const own =
      name === 'oneOf' && path !== ''
        ? 'anyOf'
        : name.includes('_')
          ? name.replace(/([a-z0-9])_([a-z0-9])/g, (_, before, after) => before + after.toUpperCase())
          : name;
    const better = value === null ? null : WORDS_OF_THE_CALLER.has(own) ? value : tidiedValue(value, own, path);
    if (changed === undefined && own === name && better === value && value !== null) {
      seen.push(name);
      continue;
    }
    changed ??= Object.fromEntries(seen.map((each) => [each, object[each] ?? null]));
    if (better === null) continue;
    if (Object.hasOwn(changed, own) || (own !== name && object[own] !== undefined && object[own] !== null))
      throw malformed(path === '' ? own : `${path}.${own}`, `is given twice, as ${name} too`);
    changed[own] = better;
  }
  return changed ?? object;
}

function tidiedValue(value: Json, name: string, path: string): Json {
  const inner = path === '' ? name : `${path}.${name}`;
  if (isJsonArray(value)) return tidiedList(value, inner);
  if (!isJsonObject(value)) return value;
  return MAPS.has(name) ? tidiedMap(value, inner) : tidiedObject(value, inner);
}

function tidiedList(list: readonly Json[], path: string): readonly Json[] {
  let changed: Json[] | undefined;
  for (const [position, item] of list.entries()) {
    const better = isJsonObject(item) ? tidiedObject(item, `${path}[${position}]`) : item;
    if (better === item) continue;
    changed ??= [...list];
    changed[position] = better;
  }
  return changed ?? list;
}

function tidiedMap(map: JsonObject, path: string): JsonObject {
  const entries = Object.entries(map).map(
    ([name, value]) => [name, value, isJsonObject(value) ? tidiedObject(value, `${path}.${name}`) : value] as const,
  );
  if (entries.every(([, value, better]) => value === better)) return map;
  return Object.fromEntries(entries.map(([name, , better]) => [name, better]));
}
