/**
 * A masked skeleton → a plausible request to or answer of a vendor: placeholders become words, ids that were masked
 * alike become distinct and refer to each other in the order they stand, and masked lists hold distinct names.
 */
import { isJsonObject, type Json, type JsonObject } from '@trivium/protocol/canonical';
import type { Shape } from './shape-set.ts';

/** One transparent pixel: media must match its declared type where the type is checked. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const URL_SAFE = '-_-_';

/** Values for masked fields that accept only some values, by the end of the path. The first match counts. */
const WORDS: readonly (readonly [RegExp, Json])[] = [
  [/\.responseModalities\[\]$/, 'TEXT'],
  [/\.modalities\[\]$/, 'text'],
  [/^\.function_call$/, 'auto'],
  [/^\.response_format$/, 'b64_json'],
  [/\.task_?[tT]ype$/, 'RETRIEVAL_DOCUMENT'],
  [/\.(start|end)Offset$/, '1s'],
  [/\.keep$/, 'all'],
  [/\.jsonPath$/, '$.key'],
  [/\.error_code$/, 'unavailable'],
  [/\.(mcp_)?server_name$/, 'name'],
  [/\.(summary|generate_summary)$/, 'auto'],
  [/\.require_approval$/, 'never'],
  [/\.syntax$/, 'lark'],
  [/\.timezone$/, 'Europe/Berlin'],
  [/\.country$/, 'DE'],
  [/^\.reasoning_format$/, 'parsed'],
  [/^\.audio\.voice$/, 'alloy'],
  [/\.voiceName$/, 'Kore'],
  [/^\.cachedContent$/, 'cachedContents/abc'],
  [/\.reasoning\.context$/, 'auto'],
  [/\.allowed_callers\[\]$/, 'direct'],
  [/\.\$ref$/, '#/$defs/name1'],
  [/\.(allowed|blocked|include|exclude|excluded)_domains\[\]$/, 'example.com'],
  [/^\.models\[\]$/, 'openai/gpt-4o'],
  [/^\.transforms\[\]$/, 'middle-out'],
  [/\.allowedFunctionNames\[\]$/, 'tool_0'],
  [/\.quotaValue$/, '10'],
  [/\.retryDelay$/, '7s'],
  [/\.inference_geo$/, 'us'],
  [/\.file_search_store_names\[\]$/, 'fileSearchStores/abc'],
  [/^\.file_url\.url$/, 'https://example.com/file'],
];

const DISTINCT_LISTS = /\.(required|enum|property_?[oO]rdering)\[\]$/;
const TOOL_LISTS = /\.(tools|functions|function_?[dD]eclarations)\[\](\.(function|custom))?\.name$/;
const TOOL_NAMES = /\.(name|tool_name)$/;
const CALL_IDS = /(content_block\.id|tool_calls\[\]\.id|function_?[cC]all\.id|\.content\[\]\.id|\.call_id)$/;
const RESULT_IDS = /(tool_call_id|tool_use_id|function_?[rR]esponse\.id)$/;

/** Media with checked bytes, by type. */
const MEDIA_BYTES: Readonly<Record<string, string>> = {
  'image/jpeg': '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcG',
  'image/gif': 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'image/webp': 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
  'application/pdf': 'JVBERi0xLjQKJWVvZgo=',
};
const urlSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
/** Names were masked alike and kept once: lists of them name no more than there are. */
const onlyNamed = (schema: JsonObject, count: number): JsonObject =>
  Object.fromEntries(
    ['required', 'propertyOrdering', 'property_ordering'].flatMap((name) => {
      const list = schema[name];
      return Array.isArray(list) ? [[name, list.slice(0, count)]] : [];
    }),
  );

/** Built-in tools of a vendor are named after their type. */
const BUILT_IN = /^([a-z0-9_]+)_\d{8}$/;

type Position = readonly number[];

export class Dresser {
  readonly #given = new Map<string, number>();
  readonly #referred = new Map<string, number>();

  value(value: Json, path = '', position: Position = []): Json {
    if (typeof value === 'string') return this.#text(value, path, position);
    if (Array.isArray(value)) return this.#list(value, path, position);
    if (isJsonObject(value)) return this.#object(value, path, position);
    return value;
  }

  #list(list: readonly Json[], path: string, position: Position): Json {
    const count = list.find((item) => typeof item === 'string' && item.startsWith('… '));
    if (count !== undefined) return [0, 0.25, -0.5];
    return list.map((item, at) => this.value(item, `${path}[]`, [...position, at]));
  }

  #object(object: JsonObject, path: string, position: Position): JsonObject {
    // The masks of `arguments` hid items of `input` too: what is left of one is a message.
    if (path === '.input[]' && '<arg>' in object) return { role: 'user', content: 'words' };
    const type = typeof object['type'] === 'string' ? object['type'] : '';
    const own = type === 'server_tool_use' ? 'web_search' : BUILT_IN.exec(type)?.[1];
    if (own !== undefined && object['name'] === 'name') return this.#object({ ...object, name: own }, path, position);
    const media = object['media_type'] ?? object['mimeType'] ?? object['mime_type'];
    const bytes = typeof media === 'string' ? MEDIA_BYTES[media] : undefined;
    if (bytes !== undefined && /^<base64(url)?>$/.test(String(object['data'])))
      return this.#object(
        { ...object, data: String(object['data']).includes('url') ? urlSafe(bytes) : bytes },
        path,
        position,
      );
    const properties = object['properties'];
    if (
      isJsonObject(properties) &&
      Array.isArray(object['required']) &&
      object['required'].length > Object.keys(properties).length
    )
      return this.#object({ ...object, ...onlyNamed(object, Object.keys(properties).length) }, path, position);
    return Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        path === '.metadata' && name === '<key>'
          ? 'user_id'
          : name.replace('<name>', 'name1').replace(/<(arg|key)>/, '$1'),
        this.value(value, `${path}.${name}`, position),
      ]),
    );
  }

  #text(text: string, path: string, position: Position): Json {
    if (CALL_IDS.test(path) && MASKED_ID.test(text)) return this.#numbered(text, this.#given);
    if (RESULT_IDS.test(path) && MASKED_ID.test(text)) return this.#numbered(text, this.#referred);
    if (text === 'name' && TOOL_LISTS.test(path)) return `tool_${position.at(-1) ?? 0}`;
    if (text === 'name' && TOOL_NAMES.test(path)) return 'tool_0';
    if (!/[<…]/.test(text)) return text;
    if (text === '<text>') {
      if (DISTINCT_LISTS.test(path)) return `name${(position.at(-1) ?? 0) + 1}`;
      const word = WORDS.find(([end]) => end.test(path));
      return word === undefined ? 'words' : word[1];
    }
    return text
      .replace('<sealed:base64url>', `c2VhbA${URL_SAFE}`)
      .replace('<sealed:base64>', 'c2VhbGVkIQ==')
      .replace('<base64url>', `${PNG.slice(0, 80).replaceAll('+', '-')}${URL_SAFE}`)
      .replace('<base64>', PNG)
      .replace('<json>', '{"key":"value"}')
      .replace('<path>', 'file')
      .replace(/<(value|piece|padding|stop)>/, 'words');
  }

  #numbered(masked: string, counts: Map<string, number>): string {
    const seen = counts.get(masked) ?? 0;
    counts.set(masked, seen + 1);
    return numbered(masked, seen);
  }
}

const MASKED_ID = /[xX0]{3}|X{2}|-0$|^0$/;

export const numbered = (masked: string, count: number): string => `${masked.slice(0, -1)}${count % 10}`;

export const dressed = (shape: Pick<Shape, 'shape'>): Json => new Dresser().value(shape.shape);
export const dressedObject = (shape: Shape): JsonObject => {
  const body = dressed(shape);
  if (!isJsonObject(body)) throw new Error(`${shape.id} is no object`);
  return body;
};

/** Where the host's path names the model, our callers name it in the body. */
export function bodyOf(shape: Shape): JsonObject {
  const { anthropic_version: _, ...body } = dressedObject(shape);
  const isNamed =
    shape.dialect === 'google-generate' || typeof body['model'] === 'string' || shape.vendor !== 'amazon-bedrock';
  return isNamed ? body : { ...body, model: shape.model ?? 'model' };
}
