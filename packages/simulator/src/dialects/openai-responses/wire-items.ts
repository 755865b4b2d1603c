// Shapes of input items and their content parts.
import {
  anything,
  list,
  nullable,
  object,
  type Shape,
  type ShapeMembers,
  tagged,
  text,
  textOr,
  word,
} from '../shape-check.ts';

const MAX_CALL_ID_LENGTH = 64;
const type: ShapeMembers = { type: anything };
const status = nullable(word('in_progress', 'completed', 'incomplete'));
const callId = text({ min: 1, max: MAX_CALL_ID_LENGTH });
const name = text({ min: 1, max: 128, pattern: /^[a-zA-Z0-9_-]+$/u });
const breakpoint: ShapeMembers = { prompt_cache_breakpoint: anything };

const inputParts: ShapeMembers = {
  input_text: object({ ...type, text: text() }, breakpoint),
  input_image: object(
    { ...type },
    {
      detail: word('auto', 'low', 'high', 'original'),
      image_url: nullable(text()),
      file_id: nullable(text()),
      ...breakpoint,
    },
  ),
  input_file: object(
    { ...type },
    {
      detail: word('auto', 'low', 'high'),
      file_data: text(),
      file_id: nullable(text()),
      file_url: text(),
      filename: text(),
      ...breakpoint,
    },
  ),
};
const outputParts: ShapeMembers = {
  output_text: object({ ...type, text: text() }, { annotations: list(anything), logprobs: nullable(list(anything)) }),
  refusal: object({ ...type, refusal: text() }),
};

const input = textOr(list(tagged('type', inputParts)));
const message = tagged('role', {
  user: object({ role: anything, content: input }, { ...type, id: text(), status }),
  system: object({ role: anything, content: input }, { ...type, id: text(), status }),
  developer: object({ role: anything, content: input }, { ...type, id: text(), status }),
  assistant: object(
    { role: anything, content: textOr(list(tagged('type', outputParts))) },
    { ...type, id: text(), status, phase: nullable(word('commentary', 'final_answer')) },
  ),
});

const summary = list(object({ type: word('summary_text'), text: text() }));
const reasoningContent = list(object({ type: word('reasoning_text'), text: text() }));

const GIVEN_BACK = [
  'additional_tools',
  'tool_search_call',
  'tool_search_output',
  'compaction',
  'mcp_list_tools',
  'mcp_call',
  'mcp_approval_request',
  'mcp_approval_response',
  'apply_patch_call',
  'apply_patch_call_output',
  'code_interpreter_call',
  'file_search_call',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
];

const items: ShapeMembers = {
  message,
  function_call: object(
    { ...type, call_id: callId, name, arguments: text() },
    { id: text(), status, caller: anything, namespace: text() },
  ),
  function_call_output: object(
    { ...type, call_id: callId, output: textOr(list(tagged('type', inputParts))) },
    { id: nullable(text()), status, caller: anything, name: nullable(text()) },
  ),
  reasoning: object(
    { ...type, summary },
    { id: text(), encrypted_content: nullable(text()), content: nullable(reasoningContent), status },
  ),
  web_search_call: object({ ...type, id: text(), status: text() }, { action: anything }),
  image_generation_call: object(
    { ...type, id: text(), result: nullable(text()) },
    {
      status: text(),
      output_format: text(),
      size: text(),
      quality: text(),
      background: text(),
      revised_prompt: nullable(text()),
    },
  ),
  custom_tool_call: object({ ...type, call_id: callId, name, input: text() }, { id: text(), status }),
  custom_tool_call_output: object({ ...type, call_id: callId, output: textOr(list(anything)) }, { id: text(), status }),
  item_reference: object({ ...type, id: text() }),
  // Items of tools that the vendor runs, or that change what later turns may call: accepted back unchanged.
  ...Object.fromEntries(GIVEN_BACK.map((each) => [each, anything])),
};

/** A message needs no type. */
export const inputItem: Shape = tagged('type', items, { default: 'message' });
