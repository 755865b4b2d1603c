/** Request bodies of every protocol that hold very many of one thing: what a caller can make a gateway look through. */

type Body = Readonly<Record<string, unknown>>;
export type Protocol = 'chat' | 'messages' | 'generate' | 'responses';

const HELLO = { role: 'user', content: 'x' };
const SAMPLES = { type: 'object', properties: {} };

/** By protocol and by what there is much of. */
export function crowdedBodies(count: number): Readonly<Record<Protocol, Readonly<Record<string, Body>>>> {
  const many = <T>(make: (index: number) => T, howMany = count): T[] =>
    Array.from({ length: howMany }, (_, index) => make(index));
  const members = (value: unknown): Body => Object.fromEntries(many((index) => [`k${index}`, value]));
  const names = many((index) => `k${index}`);
  const object = { type: 'object', properties: members({ type: 'string' }), required: names };
  const half = count / 2;
  return {
    chat: chatBodies(many, members, object, half),
    messages: messagesBodies(many, members, object, half),
    generate: generateBodies(many, members, half),
    responses: responsesBodies(many, members, object, half),
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
      tools: many((index) => ({ type: 'function', function: { name: `f${index}`, parameters: SAMPLES } })),
    },
    'members of a schema': { ...said, ...tools(object) },
    'members nobody knows': { ...said, ...members(1) },
    'stop sequences': { ...said, stop: many((index) => `s${index}`) },
    spaces: { messages: [{ role: 'user', content: `${' '.repeat(20 * half)}x` }] },
  };
}

function messagesBodies(many: Many, members: Members, object: Body, half: number): Record<string, Body> {
  const use = (id: string): Body => ({ type: 'tool_use', id, name: 'f', input: {} });
  const result = (id: string): Body => ({ type: 'tool_result', tool_use_id: id, content: 'r' });
  const said = { max_tokens: 10, messages: [HELLO] };
  const asks = (...messages: readonly unknown[]): Body => ({ max_tokens: 10, messages });
  return {
    'turns of one role': asks(...many(() => HELLO)),
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
    'members nobody knows': { ...said, ...members(1) },
  };
}

function generateBodies(many: Many, members: Members, half: number): Record<string, Body> {
  const says = (role: string, ...parts: readonly unknown[]): Body => ({ role, parts });
  const hello = says('user', { text: 'x' });
  const call = (index: number): Body => ({ functionCall: { name: `f${index}`, args: {} } });
  const response = (index: number): Body => ({ functionResponse: { name: `f${index}`, response: {} } });
  return {
    'contents of one role': { contents: many(() => hello) },
    'contents of the model': { contents: [hello, ...many((index) => says('model', call(index))), hello] },
    calls: { contents: [hello, says('model', ...many(call, half)), says('user', ...many(response, half))] },
    functions: { contents: [hello], tools: [{ functionDeclarations: many((index) => ({ name: `f${index}` })) }] },
    'members nobody knows': { contents: [hello], ...members(1) },
    'parts nobody knows': { contents: [says('user', ...many((index) => ({ text: 'x', [`u${index}`]: 1 })))] },
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
    'members nobody knows': { input: 'x', ...members(1) },
  };
}
