/**
 * What a decoder reads and what is reported as unread, held against each other: the decoder's own reads are the truth.
 * A member it asks for is never reported (the caller would get a loss for a field that was sent), and a member of a
 * schema that it does not ask for is reported (the caller would lose it unnoticed).
 */
import type { TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';
import { checkCall } from './anthropic-messages/check.ts';
import { decodeCall as decodeMessages } from './anthropic-messages/decode-call.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { unreadMembers as unreadInMessages } from './anthropic-messages/unread-members.ts';
import * as messagesWire from './anthropic-messages/wire.ts';
import { checkGenerate } from './google-generate/check.ts';
import { decodeCall as decodeGenerate } from './google-generate/decode-call.ts';
import { googleGenerate } from './google-generate/index.ts';
import { unreadMembers as unreadInGenerate } from './google-generate/unread-members.ts';
import * as generateWire from './google-generate/wire.ts';
import { checkChat } from './openai-chat/check.ts';
import { decodeCall as decodeChat } from './openai-chat/decode-call.ts';
import { openaiChat } from './openai-chat/index.ts';
import { unreadMembers as unreadInChat } from './openai-chat/unread-members.ts';
import * as chatWire from './openai-chat/wire.ts';
import { checkResponses } from './openai-responses/check.ts';
import { decodeCall as decodeResponses } from './openai-responses/decode-call.ts';
import { openaiResponses } from './openai-responses/index.ts';
import { unreadMembers as unreadInResponses } from './openai-responses/unread-members.ts';
import * as responsesWire from './openai-responses/wire.ts';

type Spied = {
  /** The body as the decoder gets it, after the check. */
  readonly body: JsonObject;
  /** The same as the object whose top-level members it asks for, if that is another one. */
  readonly root?: object;
  readonly decode: (spy: <T>(value: T) => T) => unknown;
  readonly unread: (body: JsonObject) => readonly Loss[];
};
type Half = {
  readonly knows: (member: string) => boolean;
  readonly spied: (body: JsonObject) => Spied;
  /** Bodies that together hold every member of every schema that `unread` looks at. */
  readonly bodies: readonly JsonObject[];
  /** Members that a schema knows and no canonical call has a place for; why is beside each. */
  readonly ignored: readonly string[];
  /** Members that one reader asks for whatever the type of the object, and only some types have. */
  readonly ofSomeTypes?: readonly string[];
};

/** Every object of a body by its path without indexes, as losses name it. */
function pathsIn(value: Json, path: string, found = new Map<object, string>()): Map<object, string> {
  if (isJsonArray(value)) for (const each of value) pathsIn(each, path, found);
  else if (isJsonObject(value)) {
    found.set(value, path);
    for (const [name, each] of Object.entries(value))
      pathsIn(each ?? null, path === '' ? name : `${path}.${name}`, found);
  }
  return found;
}

/** The members a decoder asks for by name, of each object. Copying a whole object asks for none. */
function readsOf({ body, root = body, decode }: Omit<Spied, 'unread'>): ReadonlyMap<object, ReadonlySet<string>> {
  const reads = new Map([root, ...pathsIn(body, '').keys()].map((object) => [object, new Set<string>()]));
  const proxies = new WeakMap<object, object>();
  let copied: string | symbol | undefined;
  const spy = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
    if (!isPlain) return value;
    const known = proxies.get(value);
    if (known !== undefined) return known as T;
    const proxy = new Proxy(value, {
      getOwnPropertyDescriptor: (target, name) => {
        copied = name;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      get: (target, name) => {
        const isCopy = copied === name;
        copied = undefined;
        if (typeof name === 'string' && !isCopy) reads.get(target)?.add(name);
        return spy(Reflect.get(target, name));
      },
    });
    proxies.set(value, proxy);
    return proxy;
  };
  decode(spy);
  return reads;
}

/** The body with one more member in one of its objects. */
function withMember(value: Json, object: object, name: string): Json {
  if (isJsonArray(value)) return value.map((each) => withMember(each, object, name));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, each]) => [key, withMember(each ?? null, object, name)]);
  return { ...(value === object && { [name]: 'x' }), ...Object.fromEntries(members) };
}

/** A value that fits a schema and holds every member; `given` goes before what is made up. */
function sample(schema: TSchema, given: JsonObject = {}): JsonObject {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, TSchema>> };
  return { ...Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, value(own)])), ...given };
}
function value(schema: TSchema): Json {
  const {
    anyOf,
    const: constant,
    enum: words,
    items,
    minimum,
    type,
  } = schema as {
    readonly anyOf?: readonly TSchema[];
    readonly const?: Json;
    readonly enum?: readonly Json[];
    readonly items?: TSchema;
    readonly minimum?: number;
    readonly type?: string;
  };
  if (anyOf?.[0] !== undefined) return value(anyOf.findLast((form) => 'properties' in form) ?? anyOf[0]);
  if (constant !== undefined) return constant;
  if (words?.[0] !== undefined) return words[0];
  switch (type) {
    case 'object':
      return sample(schema);
    case 'array':
      return items === undefined ? [] : [value(items)];
    case 'integer':
    case 'number':
      return minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'x';
  }
}

const URL = 'https://a.example/x';
const PDF = 'JVBERi0=';

function responses(): Half {
  const {
    ItemsByType: items,
    PartsByType: parts,
    ToolsByType: tools,
    FormatsByType: formats,
    ResponsesCallWire,
  } = responsesWire;
  const text = sample(parts.output_text, { annotations: [] });
  const body = {
    model: 'o/m',
    input: [
      sample(items.message, {
        role: 'user',
        phase: null,
        content: [
          sample(parts.input_text),
          sample(parts.input_image, { image_url: URL, file_id: null }),
          sample(parts.input_file, { file_data: `data:application/pdf;base64,${PDF}`, file_url: null, file_id: null }),
        ],
      }),
      sample(items.reasoning),
      sample(items.message, { role: 'assistant', content: [text, sample(parts.refusal)] }),
      sample(items.function_call, { call_id: 'a', arguments: '{}' }),
      sample(items.function_call_output, { call_id: 'a', output: [sample(parts.input_text)] }),
      sample(items.custom_tool_call, { call_id: 'b' }),
      sample(items.custom_tool_call_output, { call_id: 'b' }),
    ],
    tools: [sample(tools.function), sample(tools.custom), sample(tools.web_search, { type: 'web_search' })],
    text: sample(ResponsesCallWire.properties.text.anyOf[0], { format: sample(formats.json_schema) }),
  };
  return {
    knows: openaiResponses.server.knows,
    spied: (body) => {
      const checked = checkResponses(body, undefined);
      const { input, text, ...rest } = body;
      return {
        root: body,
        body: { ...rest, input: checked.input.items as unknown as Json, text: text ?? null },
        decode: (spy) => decodeResponses(spy(checked), undefined),
        unread: unreadInResponses,
      };
    },
    bodies: [body],
    // Tags that the check has read, and the format, which reaches the decoder beside the wire.
    ignored: ['tools.type', 'input.summary.type', 'input.content.type', 'text.format'],
  };
}

function chat(): Half {
  const { MessagesByRole: roles, PartsByType: parts, ToolCallsByType: calls, ToolsByType: tools } = chatWire;
  const body = {
    model: 'o/m',
    messages: [
      sample(roles.system),
      sample(roles.developer),
      sample(roles.user, {
        content: [
          sample(parts.text, { cache_control: { type: 'ephemeral' } }),
          sample(parts.image_url, { image_url: { url: URL, detail: 'low' }, cache_control: { type: 'ephemeral' } }),
          sample(parts.input_audio, { input_audio: { data: PDF, format: 'wav' } }),
          sample(parts.file, { file: { file_data: PDF, filename: 'x' }, cache_control: { type: 'ephemeral' } }),
        ],
      }),
      sample(roles.assistant, {
        content: [sample(parts.refusal)],
        refusal: null,
        audio: null,
        annotations: [],
        reasoning_details: [
          { type: 'reasoning.text', text: 'x', signature: 'x', format: 'openai-responses-v1', id: 'x', index: 0 },
          { type: 'reasoning.encrypted', data: 'x', format: 'openai-responses-v1', id: 'x', index: 1 },
          { type: 'reasoning.summary', summary: 'x', index: 2 },
        ],
        function_call: null,
        tool_calls: [sample(calls.function, { id: 'a' }), sample(calls.custom, { id: 'b' })],
      }),
      sample(roles.tool, { tool_call_id: 'a' }),
      sample(roles.tool, { tool_call_id: 'b' }),
      { role: 'assistant', content: 'x', reasoning: 'x' },
      { role: 'assistant', content: 'x', reasoning_content: 'x' },
    ],
    tools: [sample(tools.function), sample(tools.custom)],
    response_format: sample(chatWire.ResponseFormatsByType.json_schema),
    reasoning: sample(chatWire.ChatCallWire.properties.reasoning.anyOf[0]),
    web_search_options: sample(chatWire.SearchOptions),
  };
  return {
    knows: openaiChat.server.knows,
    spied: (body) => {
      const checked = checkChat(body, undefined);
      return { body, decode: (spy) => decodeChat(spy(checked), undefined), unread: unreadInChat };
    },
    bodies: [body],
    // The order in the list counts; there is one form of a place.
    ignored: ['messages.reasoning_details.index', 'web_search_options.user_location.type'],
  };
}

function messages(): Half {
  const wire = messagesWire;
  const blocks = wire.BlocksByType;
  const of = (type: keyof typeof blocks, given: JsonObject = {}) => sample(blocks[type], { type, ...given });
  const source = (table: Readonly<Record<string, TSchema>>, type: string, given: JsonObject = {}) =>
    sample(table[type] ?? {}, { type, ...given });
  const citations = Object.entries(wire.CitationsByType).map(([type, schema]) => sample(schema, { type }));
  const body = {
    model: 'o/m',
    max_tokens: 2000,
    system: [of('text', { citations: null })],
    messages: [
      {
        role: 'user',
        content: [
          of('text', { citations: null }),
          of('image', { source: source(wire.ImageSourcesByType, 'base64', { data: PDF }) }),
          of('image', { source: source(wire.ImageSourcesByType, 'url', { url: URL }) }),
          ...['base64', 'text', 'content', 'url'].map((type) =>
            of('document', {
              source: source(wire.DocumentSourcesByType, type, {
                ...(type === 'base64' && { data: PDF }),
                ...(type === 'url' && { url: URL }),
                ...(type === 'content' && { content: [of('text', { citations: null })] }),
              }),
            }),
          ),
          of('search_result', { content: [of('text', { citations: null })] }),
        ],
      },
      {
        role: 'assistant',
        content: [of('text', { citations }), of('thinking'), of('redacted_thinking'), of('tool_use', { id: 'a' })],
      },
      { role: 'user', content: [of('tool_result', { tool_use_id: 'a', content: [of('text', { citations: null })] })] },
    ],
    tools: [
      sample(wire.CustomTool, { type: 'custom' }),
      sample(wire.WebSearchTool, {
        type: 'web_search_20250305',
        blocked_domains: null,
        user_location: { type: 'approximate', city: 'x', region: 'x', country: 'DE', timezone: 'Europe/Berlin' },
      }),
    ],
    output_config: sample(wire.MessagesCallWire.properties.output_config.anyOf[0], { effort: 'low' }),
  };
  const thinking = Object.values(wire.ThinkingByType).map((schema) => ({
    model: 'o/m',
    max_tokens: 2000,
    messages: [{ role: 'user', content: 'Hi' }],
    thinking: sample(schema),
  }));
  return {
    knows: anthropicMessages.server.knows,
    spied: (body) => {
      const checked = checkCall(body, undefined);
      return {
        body,
        decode: (spy) => decodeMessages(spy(checked), undefined),
        unread: (of) => unreadInMessages(of, false),
      };
    },
    bodies: [body, ...thinking],
    // Tags, names and types that can only have one value; a schema is passed on as a whole.
    ignored: [
      'system.cache_control.type',
      'messages.content.cache_control.type',
      'messages.content.source.media_type',
      'messages.content.source.content.cache_control.type',
      'messages.content.content.cache_control.type',
      'tools.input_schema.type',
      'tools.input_schema.properties',
      'tools.input_schema.required',
      'tools.cache_control.type',
      'tools.name',
      'tools.user_location.type',
      'output_config.format.type',
    ],
    ofSomeTypes: [
      'messages.content.source.url',
      'messages.content.citations.title',
      'messages.content.citations.document_title',
      'messages.content.citations.document_index',
    ],
  };
}

function generate(): Half {
  const wire = generateWire;
  const part = wire.PartWire.properties;
  const config = { thinkingConfig: sample(wire.ConfigWire.properties.thinkingConfig, { thinkingLevel: null }) };
  const media = { mimeType: 'image/png', displayName: 'x' };
  const body = {
    systemInstruction: { parts: [{ text: 'x' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'x' },
          { inlineData: { ...media, data: PDF }, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } },
          {
            fileData: { ...media, mimeType: 'video/mp4', fileUri: URL },
            videoMetadata: sample(part.videoMetadata, { startOffset: '1s', endOffset: '2s' }),
          },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'x', thought: true, thoughtSignature: PDF },
          { functionCall: sample(part.functionCall, { id: 'a' }) },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: sample(part.functionResponse, { id: 'a', parts: [{ text: 'x' }] }) }],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          sample(wire.FunctionDeclarationsWire.items, { parameters: { type: 'OBJECT' }, parametersJsonSchema: null }),
          sample(wire.FunctionDeclarationsWire.items, { parameters: null, name: 'y' }),
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['x'] } },
    safetySettings: [sample(wire.RootWire.properties.safetySettings.items)],
    generationConfig: config,
  };
  return {
    knows: googleGenerate.server.knows,
    spied: (given) => {
      const checked = checkGenerate(given, undefined);
      const { body } = checked;
      const unread = (of: JsonObject) =>
        unreadInGenerate(of, isJsonObject(of['generationConfig']) ? of['generationConfig'] : {}, false);
      return { body, decode: (spy) => decodeGenerate(spy(checked)), unread };
    },
    bodies: [body],
    // A schema is converted as a whole.
    ignored: ['tools.functionDeclarations.parameters.type'],
  };
}

describe.each([
  ['openai-responses', responses()],
  ['openai-chat', chat()],
  ['anthropic-messages', messages()],
  ['google-generate', generate()],
] as const)('%s', (_id, { spied, knows, bodies, ignored, ofSomeTypes = [] }) => {
  test('reports no member that its decoder asks for', () => {
    const wrong = bodies.flatMap((given) => {
      const { unread, ...spying } = spied(given);
      const paths = pathsIn(spying.body, '');
      return [...readsOf(spying)].flatMap(([object, names]) =>
        [...names]
          .filter((name) => paths.get(object) !== '' && !Object.hasOwn(object, name))
          .flatMap((name) => unread(withMember(spying.body, object, name) as JsonObject))
          .map(({ path }) => path)
          .filter((path) => path.startsWith(`${paths.get(object)}.`)),
      );
    });
    expect([...new Set(wrong)]).toEqual(ofSomeTypes);
  });

  test('knows every top-level member that its decoder asks for', () => {
    const asked = bodies.flatMap((given) => {
      const { body, root = body, ...spying } = spied(given);
      return [...(readsOf({ body, root, ...spying }).get(root) ?? [])];
    });
    expect(asked).not.toEqual([]);
    expect(asked.filter((name) => !knows(name))).toEqual([]);
  });

  test('reports every member of a schema that its decoder does not ask for', () => {
    const silent = bodies.flatMap((given) => {
      const spying = spied(given);
      const reported = new Set(spying.unread(spying.body).map(({ path }) => path));
      const paths = pathsIn(spying.body, '');
      // Together for objects of one kind at one path: one member may make another superfluous.
      const kindOf = (object: object) =>
        `${paths.get(object)} ${Reflect.get(object, 'role')} ${Reflect.get(object, 'type')}`;
      const reads = new Set(
        [...readsOf(spying)].flatMap(([object, names]) => [...names].map((name) => `${kindOf(object)} ${name}`)),
      );
      return [...paths].flatMap(([object, at]) =>
        Object.entries(object)
          .filter(([name, each]) => object !== spying.body && each !== null && !reads.has(`${kindOf(object)} ${name}`))
          .map(([name]) => `${at}.${name}`)
          .filter((path) => !reported.has(path)),
      );
    });
    expect([...new Set(silent)]).toEqual(ignored);
  });
});
