/**
 * The changes a generateContent request needs for this host and this model. Both lanes use it: the verbatim lane on the
 * caller's body, the translated lane on the body it has just written. Unchanged members keep their identity.
 */

import type { CanonicalField, FieldLoss } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import { toOpenApi } from '../../passes/json-schema.ts';
import { LossList } from '../../passes/loss-list.ts';
import type { TargetFacts } from '../dialect.ts';
import { decodeImage } from './decode-call.ts';
import { type GenerateQuirks, quirksOf } from './quirks.ts';

export type Adapted = { readonly body: JsonObject; readonly losses: readonly FieldLoss[] };

export function adapt(body: JsonObject, target: TargetFacts): Adapted {
  const losses = new LossList();
  const quirks = quirksOf(target);
  const config = objectAt(body, 'generationConfig');
  const set: Record<string, Json> = {};
  if (config !== undefined) {
    const adapted = adaptConfig(config, quirks, target, losses);
    if (adapted !== config) set['generationConfig'] = adapted;
  }
  const contents = quirks.functionIds ? undefined : withoutIds(arrayAt(body, 'contents'));
  if (contents !== undefined) set['contents'] = contents;
  const tools = quirks.jsonSchemaTools ? undefined : withSmallSchemas(arrayAt(body, 'tools'), losses);
  if (tools !== undefined) set['tools'] = tools;
  const safety = quirks.cloudFields ? undefined : withoutMethods(arrayAt(body, 'safetySettings'), losses);
  if (safety !== undefined) set['safetySettings'] = safety;
  return { body: Object.keys(set).length > 0 ? { ...body, ...set } : body, losses: losses.all };
}

class Config {
  changed: Record<string, Json> | undefined;
  readonly given: JsonObject;
  readonly losses: LossList;

  constructor(given: JsonObject, losses: LossList) {
    this.given = given;
    this.losses = losses;
  }
  set(name: string, value: Json | undefined): void {
    this.changed ??= { ...this.given };
    if (value === undefined) delete this.changed[name];
    else this.changed[name] = value;
  }
  /** Removes a member of the caller's, with its loss. */
  drop(name: string, field: CanonicalField): void {
    if (this.given[name] === undefined) return;
    this.set(name, undefined);
    this.losses.add(field);
  }
}

function adaptConfig(given: JsonObject, quirks: GenerateQuirks, target: TargetFacts, losses: LossList): JsonObject {
  const config = new Config(given, losses);
  const limit = target.model.maxOutputTokens;
  if (limit !== undefined && (numberAt(given, 'maxOutputTokens') ?? 0) > limit) {
    config.set('maxOutputTokens', limit);
    config.losses.add('sampling.maxOutputTokens', 'clamped');
  }
  if (!target.model.temperature) {
    config.drop('temperature', 'sampling.temperature');
    config.drop('topP', 'sampling.topP');
  }
  if (!quirks.penalties) {
    config.drop('frequencyPenalty', 'sampling.frequencyPenalty');
    config.drop('presencePenalty', 'sampling.presencePenalty');
  }
  if (given['responseLogprobs'] === true && !quirks.logprobs)
    throw cannotCarry('sampling.logprobs', 'cannot be given by this model');
  if (!quirks.cloudFields) config.drop('audioTimestamp', 'call.audioTimestamp');
  adaptLevel(config);
  adaptImage(config, quirks);
  if (!quirks.jsonSchemaOutput) adaptSchema(config);
  return config.changed ?? given;
}

/** An unspecified level means the same as none, and not every host accepts the unspecified value. */
function adaptLevel(config: Config): void {
  const { thinkingLevel, ...rest } = objectAt(config.given, 'thinkingConfig') ?? {};
  if (thinkingLevel === 'THINKING_LEVEL_UNSPECIFIED') config.set('thinkingConfig', rest);
}

/** Two forms become one, and only if the host has a field for it. */
function adaptImage(config: Config, quirks: GenerateQuirks): void {
  const image = objectAt(config.given, 'imageConfig');
  if (image === undefined) return;
  const { imageOutputOptions: options, ...rest } = decodeImage(image);
  const flat = image['outputMimeType'] !== undefined || image['outputCompressionQuality'] !== undefined;
  if (options === undefined) return;
  if (quirks.cloudFields) {
    if (flat) config.set('imageConfig', { ...rest, imageOutputOptions: options });
    return;
  }
  config.set('imageConfig', rest);
  config.losses.add('call.imageOutput', 'approximated');
}

const UNFIT = 'has a schema that refers to itself, to nowhere, or is too large for this model';

function adaptSchema(config: Config): void {
  const schema = objectAt(config.given, 'responseJsonSchema');
  if (schema === undefined) return;
  const lowered = toOpenApi(schema);
  if (lowered === undefined) throw cannotCarry('output.schema', UNFIT);
  config.set('responseJsonSchema', undefined);
  config.set('responseSchema', lowered.schema);
  if (lowered.loosened) config.losses.add('output.schema', 'approximated');
}

/** Undefined if no function has an id. */
function withoutIds(contents: readonly Json[]): readonly Json[] | undefined {
  let changed = false;
  const out = contents.map((content) => {
    if (!isJsonObject(content)) return content;
    const parts = arrayAt(content, 'parts').map((part) => {
      if (!isJsonObject(part)) return part;
      const name = part['functionCall'] === undefined ? 'functionResponse' : 'functionCall';
      const inner = objectAt(part, name);
      if (inner?.['id'] === undefined) return part;
      changed = true;
      const { id: _, ...rest } = inner;
      return { ...part, [name]: rest };
    });
    return { ...content, parts };
  });
  return changed ? out : undefined;
}

/** Undefined if every declaration is already in the smaller language. */
function withSmallSchemas(tools: readonly Json[], losses: LossList): readonly Json[] | undefined {
  let changed = false;
  const out = tools.map((tool) => {
    if (!isJsonObject(tool) || tool['functionDeclarations'] === undefined) return tool;
    const functionDeclarations = arrayAt(tool, 'functionDeclarations').map((declaration) => {
      const schema = isJsonObject(declaration) ? objectAt(declaration, 'parametersJsonSchema') : undefined;
      if (!isJsonObject(declaration) || schema === undefined) return declaration;
      changed = true;
      const lowered = toOpenApi(schema);
      if (lowered === undefined) throw cannotCarry('tool.function', `${UNFIT} (${stringAt(declaration, 'name')})`);
      if (lowered.loosened) losses.add('tool.function', 'approximated');
      const { parametersJsonSchema: _, ...rest } = declaration;
      // An object without properties is refused; a function without parameters is not.
      const properties = objectAt(lowered.schema, 'properties') ?? {};
      return Object.keys(properties).length === 0 ? rest : { ...rest, parameters: lowered.schema };
    });
    return { ...tool, functionDeclarations };
  });
  return changed ? out : undefined;
}

function withoutMethods(settings: readonly Json[], losses: LossList): readonly Json[] | undefined {
  if (!settings.some((setting) => isJsonObject(setting) && setting['method'] !== undefined)) return undefined;
  losses.add('call.safety', 'approximated');
  return settings.map((setting) => {
    if (!isJsonObject(setting)) return setting;
    const { method: _, ...rest } = setting;
    return rest;
  });
}
