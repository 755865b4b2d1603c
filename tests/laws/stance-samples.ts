/** For every canonical field a call that has it, and the same call without: what differs upstream is the field. */
import type {
  Block,
  CanonicalField,
  DialectId,
  JsonObject,
  Sealed,
  TextCall,
  Tool,
  Turn,
} from '@trivium/protocol/canonical';

export type Sample = {
  readonly without?: Partial<TextCall>;
  readonly with: Partial<TextCall>;
  /** What shows the field itself in the body of a dialect that has it. */
  readonly mark?: string;
};

const text = (said: string): Block => ({ kind: 'text', text: said });
const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks });
const model = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks });
const QUESTION = user(text('q'));
const THANKS = user(text('thanks'));
const TOOL: Extract<Tool, { kind: 'function' }> = {
  kind: 'function',
  name: 'weather',
  description: 'd',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const CALL: Block = {
  kind: 'tool-call',
  id: 'call_1',
  name: 'weather',
  form: 'function',
  argumentsJson: '{"city":"MARK"}',
};
const RESULT: Block = { kind: 'tool-result', callId: 'call_1', content: [text('RESULT')], isError: false };
const PIXEL = 'iVBORw0KGgo=';

/** Within the model's own turn, before the user goes on. */
const said = (...blocks: Block[]): Partial<TextCall> => ({ turns: [QUESTION, model(...blocks), THANKS] });
const given = (...blocks: Block[]): Partial<TextCall> => ({ turns: [user(text('q'), ...blocks)] });
const SAID = said(text('said'));
const GIVEN = given();
const WITH_TOOL: Partial<TextCall> = { tools: [TOOL] };
const choosing = (toolChoice: NonNullable<TextCall['toolChoice']>, mark?: string): Sample => ({
  without: WITH_TOOL,
  with: { ...WITH_TOOL, toolChoice },
  ...(mark !== undefined && { mark }),
});
const sampling = (members: TextCall['sampling'], mark?: string): Sample => ({
  with: { sampling: members },
  ...(mark !== undefined && { mark }),
});
const SCHEMA = {
  type: 'object',
  properties: { MARK: { type: 'string' } },
  required: ['MARK'],
  additionalProperties: false,
};

const BUILT_IN: Readonly<Record<string, Tool>> = {
  'anthropic-messages': {
    kind: 'built-in',
    dialect: 'anthropic-messages',
    family: 'bash',
    name: 'bash',
    version: 'bash_20250124',
    settings: {},
  },
  'google-generate': {
    kind: 'built-in',
    dialect: 'google-generate',
    family: 'url-context',
    name: 'urlContext',
    settings: {},
  },
};
const OWN_WIRE: Readonly<Record<string, JsonObject>> = {
  'openai-chat': { type: 'MARK' },
  'anthropic-messages': { type: 'MARK' },
  'amazon-converse': { guardContent: { text: { text: 'MARK' } } },
  'google-generate': { executableCode: { language: 'PYTHON', code: 'MARK' } },
  'openai-responses': { type: 'MARK', id: 'x' },
};

export function samplesFor(dialect: DialectId, owner: Sealed['owner']): Readonly<Record<CanonicalField, Sample>> {
  const seal = (kind: Sealed['kind']): Sealed => ({ owner, kind, data: 'U0VBTA==', itemId: 'rs_1' });
  const reasoning: TextCall['reasoning'] = dialect === 'google-generate' ? { budgetTokens: 2345 } : { effort: 'high' };
  const thought = (more: object): Block => ({ kind: 'thinking', text: 'MARK', form: 'full', ...more });
  // Chat has no seals: reasoning returns as plain text.
  const isSealed = dialect !== 'openai-chat';
  const hasOdds = dialect !== 'anthropic-messages' && dialect !== 'amazon-converse';
  return {
    'sampling.maxOutputTokens': sampling({ maxOutputTokens: 4321 }, '4321'),
    'sampling.temperature': sampling({ temperature: 0.25 }, '0.25'),
    'sampling.topP': sampling({ topP: 0.125 }, '0.125'),
    'sampling.topK': sampling({ topK: 17 }, '17'),
    'sampling.stopSequences': sampling({ stopSequences: ['MARK'] }, 'MARK'),
    'sampling.seed': sampling({ seed: 424242 }, '424242'),
    'sampling.frequencyPenalty': sampling({ frequencyPenalty: 0.375 }, '0.375'),
    'sampling.presencePenalty': sampling({ presencePenalty: 0.625 }, '0.625'),
    'sampling.candidates': sampling({ candidates: 2 }, '2'),
    'sampling.logitBias': sampling({ logitBias: { '4242': 5 } }, '4242'),
    'sampling.logprobs': sampling({ logprobs: true }, 'ogprobs'),
    'sampling.topLogprobs': {
      without: hasOdds ? { sampling: { logprobs: true } } : {},
      with: { sampling: { topLogprobs: 3, ...(hasOdds && { logprobs: true }) } },
      mark: '3',
    },
    'sampling.verbosity': sampling({ verbosity: 'low' }, 'low'),
    // Models with reasoning effort reason by default.
    'reasoning.enabled': { with: { reasoning: { enabled: dialect !== 'openai-responses' } } },
    'reasoning.effort': { with: { reasoning: { effort: 'high' } } },
    'reasoning.budgetTokens': { with: { reasoning: { budgetTokens: 2345 } }, mark: '2345' },
    'reasoning.show': {
      without: { reasoning },
      with: { reasoning: { ...reasoning, show: 'none' } },
    },
    'output.text': { with: { output: { kind: 'text' } } },
    'output.json': { with: { output: { kind: 'json' } } },
    'output.schema': { with: { output: { kind: 'schema', name: 'answer', schema: SCHEMA } }, mark: 'MARK' },
    'output.enum': { with: { output: { kind: 'enum', values: ['MARK', 'OTHER'] } }, mark: 'MARK' },
    'tool.function': { with: WITH_TOOL, mark: 'weather' },
    'tool.custom': { with: { tools: [{ kind: 'custom', name: 'MARK' }] }, mark: 'MARK' },
    'tool.built-in': {
      with: { tools: [BUILT_IN[dialect] ?? (BUILT_IN['anthropic-messages'] as Tool)] },
      mark: dialect === 'google-generate' ? 'urlContext' : 'bash',
    },
    'tool.strict': { without: WITH_TOOL, with: { tools: [{ ...TOOL, strict: true }] } },
    'tool-choice.auto': choosing({ mode: 'auto' }),
    'tool-choice.none': choosing({ mode: 'none' }),
    'tool-choice.any': choosing({ mode: 'any' }),
    'tool-choice.validated': choosing({ mode: 'validated' }),
    'tool-choice.one': choosing({ mode: 'one', name: 'weather' }),
    'tool-choice.some': {
      without: { tools: [TOOL, { ...TOOL, name: 'clock' }] },
      with: {
        tools: [TOOL, { ...TOOL, name: 'clock' }],
        toolChoice: { mode: 'some', names: ['weather'], required: true },
      },
    },
    'block.text': { without: GIVEN, with: given(text('MARK')), mark: 'MARK' },
    'block.refusal': { without: SAID, with: said(text('said'), { kind: 'refusal', text: 'MARK' }), mark: 'MARK' },
    'block.thinking': {
      without: SAID,
      with: said(thought(isSealed ? { seal: seal('signature') } : {}), text('said')),
      mark: 'MARK',
    },
    'block.redacted': {
      without: SAID,
      with: said({ kind: 'redacted', seal: seal('sealed') }, text('said')),
      mark: 'U0VBTA==',
    },
    'block.media': {
      without: GIVEN,
      with: given({
        kind: 'media',
        media: 'image',
        mimeType: 'image/png',
        source: { via: 'inline', base64: PIXEL },
      }),
      mark: PIXEL,
    },
    'block.document': {
      without: GIVEN,
      with: given({ kind: 'document', content: [text('MARK')] }),
      mark: 'MARK',
    },
    'block.search-result': {
      without: GIVEN,
      with: given({ kind: 'search-result', source: 's', title: 't', content: [text('MARK')] }),
      mark: 'MARK',
    },
    'block.tool-call': { with: { ...WITH_TOOL, turns: [QUESTION, model(CALL), user(RESULT)] }, mark: 'MARK' },
    'block.tool-result': { with: { ...WITH_TOOL, turns: [QUESTION, model(CALL), user(RESULT)] }, mark: 'RESULT' },
    'block.server-tool': {
      without: SAID,
      with: said(
        {
          kind: 'server-tool',
          id: 'srvtoolu_1',
          name: 'web_search',
          argumentsJson: '{"query":"MARK"}',
          result: { content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } },
        },
        text('said'),
      ),
      mark: 'MARK',
    },
    'block.foreign': {
      without: SAID,
      with: said({ kind: 'foreign', dialect, wire: OWN_WIRE[dialect] ?? {} }, text('said')),
      mark: 'MARK',
    },
    'block.cache': {
      without: given(text('long')),
      with: given({ kind: 'text', text: 'long', cache: {} }),
      mark: 'ephemeral',
    },
    'block.citations': {
      without: SAID,
      with: said({
        kind: 'text',
        text: 'said',
        citations: [{ kind: 'characters', document: 0, from: 0, to: 4, quote: 'MARK' }],
      }),
      mark: 'MARK',
    },
    'block.seal': {
      without: isSealed ? SAID : said(thought({}), text('said')),
      with: said(thought({ seal: seal('signature') }), text('said')),
      mark: 'U0VBTA==',
    },
    'turn.name': { without: { turns: [QUESTION] }, with: { turns: [{ ...QUESTION, name: 'MARK' }] }, mark: 'MARK' },
    'turn.system': {
      without: SAID,
      with: { turns: [QUESTION, model(text('said')), { role: 'system', blocks: [text('MARK')] }, THANKS] },
      mark: 'MARK',
    },
    'turn.prefill': {
      without: { turns: [QUESTION] },
      with: { turns: [QUESTION, { ...model(text('MARK')), continues: true }] },
      mark: 'MARK',
    },
    'call.system': { with: { system: [text('MARK')] }, mark: 'MARK' },
    'call.parallelToolCalls': { without: WITH_TOOL, with: { ...WITH_TOOL, parallelToolCalls: false } },
    'call.modalities': { with: { modalities: ['text', 'image'] }, mark: 'IMAGE' },
    'call.imageOutput': { with: { imageOutput: { aspectRatio: '16:9' } }, mark: '16:9' },
    'call.speech': { with: { speech: { languageCode: 'MARK' } }, mark: 'MARK' },
    'call.mediaResolution': { with: { mediaResolution: 'low' }, mark: 'LOW' },
    'call.audioTimestamp': { with: { audioTimestamp: true }, mark: 'audioTimestamp' },
    'call.cachedContent': { with: { cachedContent: { ...seal('ref'), data: 'cachedContents/MARK' } }, mark: 'MARK' },
    'call.autoCache': { with: { autoCache: {} }, mark: 'ephemeral' },
    'call.safety': { with: { safety: [{ category: 'HARM_MARK', threshold: 'OFF' }] }, mark: 'HARM_MARK' },
    'call.webSearch': { with: { webSearch: {} } },
    extras: { with: { extras: { [dialect]: { MARK: 1 } } }, mark: 'MARK' },
  };
}
