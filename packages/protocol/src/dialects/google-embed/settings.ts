/** The settings of an input, wherever a form puts them; snake_case is read as camelCase, and null as absent. */
import { EMBED_TASKS, type EmbedTask } from '../../canonical/embedding.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { malformed } from '../checking.ts';

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function memberOf(object: JsonObject, name: string): Json | undefined {
  return object[name] ?? object[snake(name)] ?? undefined;
}

export type Settings = { readonly dimensions?: number; readonly truncate?: boolean };
type InputSettings = { readonly task?: EmbedTask; readonly title?: string };

export function readSettings(object: JsonObject, path: string): Settings {
  const dimensions = memberOf(object, 'outputDimensionality');
  if (dimensions !== undefined && !(Number.isSafeInteger(dimensions) && Number(dimensions) > 0))
    throw malformed(`${path}outputDimensionality`, 'must be a whole number above 0');
  const truncate = memberOf(object, 'autoTruncate');
  if (truncate !== undefined && typeof truncate !== 'boolean')
    throw malformed(`${path}autoTruncate`, 'must be true or false');
  return {
    ...(typeof dimensions === 'number' && { dimensions }),
    ...(truncate !== undefined && { truncate }),
  };
}

export function readInputSettings(object: JsonObject, path: string): InputSettings {
  const word = memberOf(object, 'taskType');
  const task = typeof word === 'string' ? EMBED_TASKS.find((task) => TASK_WORDS[task] === word) : undefined;
  if (word !== undefined && task === undefined && word !== UNSPECIFIED)
    throw malformed(`${path}taskType`, 'is not a task there are vectors for');
  const title = memberOf(object, 'title');
  if (title !== undefined && typeof title !== 'string') throw malformed(`${path}title`, 'must be a text');
  return { ...(task !== undefined && { task }), ...(title !== undefined && { title }) };
}

/** Members that are not among the given names, in either spelling. */
export function unknownOf(object: JsonObject, known: readonly string[]): JsonObject {
  const names = new Set(known.flatMap((name) => [name, snake(name)]));
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== null && !names.has(name)));
}

export function objectOf(value: Json | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw malformed(path, value === undefined || value === null ? 'is required' : 'must be an object');
}

// The purposes of vectors in this dialect: a complete table, read in both directions.

export const TASK_WORDS: Readonly<Record<EmbedTask, string>> = {
  'retrieval-query': 'RETRIEVAL_QUERY',
  'retrieval-document': 'RETRIEVAL_DOCUMENT',
  similarity: 'SEMANTIC_SIMILARITY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  'question-answering': 'QUESTION_ANSWERING',
  'fact-verification': 'FACT_VERIFICATION',
  'code-retrieval-query': 'CODE_RETRIEVAL_QUERY',
};

/** This dialect's value for "not specified". */
const UNSPECIFIED = 'TASK_TYPE_UNSPECIFIED';
