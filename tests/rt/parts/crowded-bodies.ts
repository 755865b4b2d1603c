/** Request bodies of every protocol with very many items of one kind: the most that a caller can make a gateway parse. */

type Body = Readonly<Record<string, unknown>>;
export type Protocol = 'chat' | 'messages' | 'generate' | 'responses';

const HELLO = { role: 'user', content: 'x' };
const TEXT_BLOCK = { type: 'text', text: 'x' };
const SAMPLES = { type: 'object', properties: {} };

/** Maximum of each kind: by default the limits of a gateway, and what S1 sends. */
export type Crowd = {
  /** Of one list. */
  readonly elements: number;
  /** Of one object. */
  readonly members: number;
  /** Of a text in Chinese characters. */
  readonly characters: number;
};

/** A list of things of seven values or more must be shorter than a list may be: all values together have a bound, too. */
const OF_MANY_VALUES = 0.9;

/** By protocol and by what there is much of. */
export function crowdedBodies(crowd: Crowd): Readonly<Record<Protocol, () => Readonly<Record<string, Body>>>> {
  // A list with items before and after it is still within the limit.
  const many = <T>(make: (index: number) => T, howMany = crowd.elements - 2): T[] =>
    Array.from({ length: Math.floor(howMany) }, (_, index) => make(index));
  const members = (value: unknown): Body => Object.fromEntries(many((index) => [`k${index}`, value], crowd.members));
  const names = many((index) => `k${index}`, crowd.members);
  const own = { type: 'object', properties: members({ type: 'string' }), required: names };
  const groups = Math.floor((2 * crowd.elements) / crowd.members);
  const object = {
    type: 'object',
    properties: Object.fromEntries(many((index) => [`g${index}`, own], groups)),
  };
  const half = crowd.elements / 2 - 1;
  return {
    chat: () => ({ ...chatBodies(many, members, object, half), ...sharedBodies(crowd, many, 'messages', spokenChat) }),
    messages: () => ({
      ...messagesBodies(many, members, object, half),
      ...sharedBodies(crowd, many, 'messages', spokenChat, { max_tokens: 10 }),
    }),
    generate: () => ({
      ...generateBodies(many, members, half),
      ...sharedBodies(crowd, many, 'contents', spokenGenerate),
    }),
    responses: () => ({
      ...responsesBodies(many, members, object, half),
      ...sharedBodies(crowd, many, 'input', spokenChat),
    }),
  };
}

const HAN = '漢字仮名交文';
const hanText = ({ characters }: Crowd): string => HAN.repeat(characters / HAN.length);

const spokenChat = (text: string): readonly Body[] => [{ role: 'user', content: text }];
const spokenGenerate = (text: string): readonly Body[] => [{ role: 'user', parts: [{ text }] }];

/** Bodies for every protocol: one long text, and values in an unknown field. */
function sharedBodies(
  crowd: Crowd,
  many: Many,
  turns: string,
  spoken: (text: string) => readonly Body[],
  more: Body = {},
): Record<string, Body> {
  const empties = many(() => ({}), crowd.elements / 2);
  return {
    'text of Chinese characters': { ...more, [turns]: spoken(hanText(crowd)) },
    'unknown values': { ...more, [turns]: spoken('x'), unknown: many(() => empties, 8) },
  };
}

/** For the other routes of a gateway, by path. */
export function otherBodies(crowd: Crowd): Readonly<Record<string, Readonly<Record<string, Body>>>> {
  const many = <T>(make: (index: number) => T, howMany: number): T[] =>
    Array.from({ length: Math.floor(howMany) }, (_, index) => make(index));
  const text = hanText(crowd);
  const embed = { model: 'own/embed' };
  const image = { model: 'own/image' };
  const empties = many(() => many(() => ({}), crowd.elements / 2), 8);
  const turns = many((index) => ({ role: index % 2 ? 'assistant' : 'user', content: 'x' }), crowd.elements / 2 - 1);
  const count = { model: 'own/messages' };
  return {
    '/api/v1/embeddings': {
      inputs: { ...embed, input: many(() => 'x', crowd.elements) },
      'token ids': { ...embed, input: many(() => many((index) => index, crowd.elements / 300), 2048) },
      'text of Chinese characters': { ...embed, input: text },
    },
    '/api/v1/images/generations': {
      'text of Chinese characters': { ...image, prompt: text },
      'unknown values': { ...image, prompt: 'x', unknown: empties },
    },
    '/api/anthropic/v1/messages/count_tokens': {
      turns: { ...count, messages: turns },
      'text of Chinese characters': { ...count, messages: spokenChat(text) },
    },
    '/api/vertex-ai/v1/publishers/own/models/generate:countTokens': {
      'text of Chinese characters': { contents: spokenGenerate(text) },
      parts: { contents: [{ role: 'user', parts: many(() => ({ text: 'x' }), crowd.elements) }] },
    },
  };
}

/** The bodies of S1 that stalled a worker: each exceeds the limits, which shows before all of it has arrived. */
export function overcrowdedBodies(share: number): Readonly<Record<string, Body>> {
  const many = <T>(make: (index: number) => T, howMany: number): T[] =>
    Array.from({ length: Math.floor(howMany * share) }, (_, index) => make(index));
  const members = (howMany: number, value: unknown): Body =>
    Object.fromEntries(many((index) => [`k${index}`, value], howMany));
  const said = { model: 'own/chat', messages: [HELLO] };
  const parameters = { type: 'object', properties: members(900_000, { type: 'string' }) };
  const empties = many(() => ({}), 200_000);
  return {
    'members of metadata': { ...said, metadata: members(1_900_000, 'v') },
    messages: { model: 'own/chat', messages: many(() => HELLO, 950_000) },
    'properties of a schema': { ...said, tools: [{ type: 'function', function: { name: 'f', parameters } }] },
    'empty objects': { ...said, unknown: Array.from({ length: 50 }, () => empties) },
    parts: { ...said, messages: [{ role: 'user', content: many(() => ({ type: 'text', text: 'x' }), 1_000_000) }] },
  };
}

type Many = <T>(make: (index: number) => T, howMany?: number) => T[];
type Members = (value: unknown) => Body;

function chatBodies(many: Many, members: Members, object: Body, half: number): Record<string, Body> {
  const call = (id: string): Body => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
  const result = (id: string): Body => ({ role: 'tool', tool_call_id: id, content: 'r' });
  const tools = (parameters: Body): Body => ({ tools: [{ type: 'function', function: { name: 'f', parameters } }] });
  const said = { messages: [HELLO] };
  return {
    turns: { messages: many((index) => ({ role: index % 2 ? 'assistant' : 'user', content: 'x' })) },
    'turns of one role': { messages: many(() => HELLO) },
    instructions: { messages: [...many(() => ({ role: 'system', content: 'x' })), HELLO] },
    parts: { messages: [{ role: 'user', content: many(() => ({ type: 'text', text: 'x' })) }] },
    calls: {
      messages: [
        HELLO,
        { role: 'assistant', tool_calls: many((index) => call(`c${index}`), half) },
        ...many((index) => result(`c${index}`), half),
      ],
    },
    'calls of one id': {
      messages: [HELLO, ...many((index) => (index % 2 ? result('c') : { role: 'assistant', tool_calls: [call('c')] }))],
    },
    tools: {
      ...said,
      tools: many(
        (index) => ({ type: 'function', function: { name: `f${index}`, parameters: SAMPLES } }),
        half * 2 * OF_MANY_VALUES,
      ),
    },
    'members of a schema': { ...said, ...tools(object) },
    'unknown members': { ...said, ...members(1) },
    'stop sequences': { ...said, stop: many((index) => `s${index}`) },
    spaces: { messages: [{ role: 'user', content: `${' '.repeat(20 * half)}x` }] },
  };
}

function messagesBodies(many: Many, members: Members, object: Body, half: number): Record<string, Body> {
  const use = (id: string): Body => ({ type: 'tool_use', id, name: 'f', input: {} });
  const result = (id: string): Body => ({ type: 'tool_result', tool_use_id: id, content: 'r' });
  const said = { max_tokens: 10, messages: [HELLO] };
  const asks = (...messages: readonly unknown[]): Body => ({ max_tokens: 10, messages });
  const asksAll = (messages: readonly unknown[]): Body => ({ max_tokens: 10, messages });
  return {
    'turns of one role': asksAll(many(() => HELLO, half)),
    'turns of blocks': asksAll(
      many((index) => ({ role: index % 2 ? 'assistant' : 'user', content: [TEXT_BLOCK, TEXT_BLOCK] }), half),
    ),
    blocks: asks({
      role: 'user',
      content: many(() => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } })),
    }),
    calls: asks(
      HELLO,
      { role: 'assistant', content: many((index) => use(`c${index}`), half) },
      { role: 'user', content: many((index) => result(`c${index}`), half) },
    ),
    thoughts: asks(
      HELLO,
      { role: 'assistant', content: many((index) => ({ type: 'thinking', thinking: 't', signature: `s${index}` })) },
      HELLO,
    ),
    tools: { ...said, tools: many((index) => ({ name: `f${index}`, input_schema: SAMPLES })) },
    'members of a schema': { ...said, tools: [{ name: 'f', input_schema: object }] },
    'unknown members': { ...said, ...members(1) },
  };
}

function generateBodies(many: Many, members: Members, half: number): Record<string, Body> {
  const says = (role: string, parts: readonly unknown[]): Body => ({ role, parts });
  const hello = says('user', [{ text: 'x' }]);
  const call = (index: number): Body => ({ functionCall: { name: `f${index}`, args: {} } });
  const response = (index: number): Body => ({ functionResponse: { name: `f${index}`, response: {} } });
  return {
    'contents of one role': { contents: many(() => hello) },
    'contents of the model': {
      contents: [hello, ...many((index) => says('model', [call(index)]), half * 2 * OF_MANY_VALUES), hello],
    },
    calls: { contents: [hello, says('model', many(call, half)), says('user', many(response, half))] },
    functions: { contents: [hello], tools: [{ functionDeclarations: many((index) => ({ name: `f${index}` })) }] },
    'unknown members': { contents: [hello], ...members(1) },
    'unknown parts': {
      contents: [
        says(
          'user',
          many((index) => ({ text: 'x', [`u${index}`]: 1 })),
        ),
      ],
    },
    settings: { contents: [hello], generationConfig: members(1) },
  };
}

function responsesBodies(many: Many, members: Members, object: Body, half: number): Record<string, Body> {
  const call = (index: number): Body => ({ type: 'function_call', call_id: `c${index}`, name: 'f', arguments: '{}' });
  const output = (index: number): Body => ({ type: 'function_call_output', call_id: `c${index}`, output: 'r' });
  const thought = (index: number): Body => ({
    type: 'reasoning',
    id: `r${index}`,
    summary: [],
    encrypted_content: 'e',
  });
  return {
    'items of one role': { input: many(() => HELLO) },
    calls: { input: [HELLO, ...many(call, half), ...many(output, half)] },
    thoughts: { input: [HELLO, ...many(thought), HELLO] },
    tools: { input: 'x', tools: many((index) => ({ type: 'function', name: `f${index}`, parameters: SAMPLES })) },
    'members of a schema': { input: 'x', text: { format: { type: 'json_schema', name: 's', schema: object } } },
    'unknown members': { input: 'x', ...members(1) },
  };
}
