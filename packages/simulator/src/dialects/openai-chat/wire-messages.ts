// Schemas of messages and content parts, one per role and part type, so that an error names the exact place.
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

const closed = { additionalProperties: false } as const;
const MAX_CALL_ID_LENGTH = 40;
const MAX_NAME_LENGTH = 64;

const name = Type.Optional(Type.String({ maxLength: MAX_NAME_LENGTH, pattern: '^[^\\s<|\\\\/>]+$' }));
const contentList = Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1 })]);
const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const callId = Type.String({ minLength: 1, maxLength: MAX_CALL_ID_LENGTH });
const breakpoint = Type.Optional(Type.Object({ mode: Type.Literal('explicit'), ttl: Type.Optional(Type.String()) }));

const toolCall = Type.Object(
  {
    id: callId,
    type: Type.Unsafe<'function' | 'custom'>({ type: 'string', enum: ['function', 'custom'] }),
    function: Type.Optional(
      Type.Object(
        {
          name: Type.String({ maxLength: MAX_NAME_LENGTH, pattern: '^[a-zA-Z0-9_-]+$' }),
          arguments: Type.String(),
        },
        closed,
      ),
    ),
    custom: Type.Optional(Type.Object({ name: Type.String(), input: Type.String() }, closed)),
  },
  closed,
);

export const messageChecks = {
  developer: Compile(Type.Object({ role: Type.String(), content: contentList, name }, closed)),
  system: Compile(Type.Object({ role: Type.String(), content: contentList, name }, closed)),
  user: Compile(Type.Object({ role: Type.String(), content: contentList, name }, closed)),
  assistant: Compile(
    Type.Object(
      {
        role: Type.String(),
        content: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1 }), Type.Null()])),
        name,
        refusal: optionalText,
        annotations: Type.Optional(Type.Array(Type.Unknown())),
        audio: Type.Optional(Type.Union([Type.Object({ id: Type.String() }), Type.Null()])),
        function_call: Type.Optional(
          Type.Union([Type.Object({ name: Type.String(), arguments: Type.String() }), Type.Null()]),
        ),
        tool_calls: Type.Optional(Type.Array(toolCall, { minItems: 1, maxItems: 128 })),
      },
      closed,
    ),
  ),
  // A name is accepted and ignored.
  tool: Compile(Type.Object({ role: Type.String(), content: contentList, tool_call_id: callId, name }, closed)),
  function: Compile(
    Type.Object(
      { role: Type.String(), content: Type.Union([Type.String(), Type.Null()]), name: Type.String() },
      closed,
    ),
  ),
} as const;

export type SimulatedRole = keyof typeof messageChecks;

export function isRole(role: unknown): role is SimulatedRole {
  return typeof role === 'string' && Object.hasOwn(messageChecks, role);
}

export const partChecks = {
  text: Compile(Type.Object({ type: Type.String(), text: Type.String(), prompt_cache_breakpoint: breakpoint }, closed)),
  refusal: Compile(Type.Object({ type: Type.String(), refusal: Type.String() }, closed)),
  image_url: Compile(
    Type.Object(
      {
        type: Type.String(),
        image_url: Type.Object(
          {
            url: Type.String(),
            detail: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['auto', 'low', 'high', 'original'] })),
          },
          closed,
        ),
        prompt_cache_breakpoint: breakpoint,
      },
      closed,
    ),
  ),
  input_audio: Compile(
    Type.Object(
      {
        type: Type.String(),
        input_audio: Type.Object(
          { data: Type.String(), format: Type.Unsafe<string>({ type: 'string', enum: ['wav', 'mp3'] }) },
          closed,
        ),
        prompt_cache_breakpoint: breakpoint,
      },
      closed,
    ),
  ),
  file: Compile(
    Type.Object(
      {
        type: Type.String(),
        file: Type.Object(
          {
            file_data: Type.Optional(Type.String()),
            file_id: Type.Optional(Type.String()),
            filename: Type.Optional(Type.String()),
          },
          closed,
        ),
        prompt_cache_breakpoint: breakpoint,
      },
      closed,
    ),
  ),
} as const;

export type SimulatedPartType = keyof typeof partChecks;

/** Which parts a role may use; `video_url` and the like belong to other vendors. */
export const partsOfRole: Readonly<Record<SimulatedRole, readonly SimulatedPartType[]>> = {
  developer: ['text'],
  system: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
  function: [],
};
