// Schemas of tools, tool choice and response format.
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

const closed = { additionalProperties: false } as const;
const NAME_PATTERN = '^[a-zA-Z0-9_-]+$';
const MAX_NAME_LENGTH = 64;

const toolName = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: NAME_PATTERN });
const optionalBoolean = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]));
const schemaObject = Type.Record(Type.String(), Type.Unknown());

export const functionToolCheck = Compile(
  Type.Object(
    {
      type: Type.Literal('function'),
      function: Type.Object(
        {
          name: toolName,
          description: Type.Optional(Type.String()),
          parameters: Type.Optional(schemaObject),
          strict: optionalBoolean,
        },
        closed,
      ),
    },
    closed,
  ),
);

export const customToolCheck = Compile(
  Type.Object(
    {
      type: Type.Literal('custom'),
      custom: Type.Object(
        { name: toolName, description: Type.Optional(Type.String()), format: Type.Optional(schemaObject) },
        closed,
      ),
    },
    closed,
  ),
);

export const namedChoiceCheck = Compile(
  Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: Type.String() }, closed) }, closed),
);

export const customChoiceCheck = Compile(
  Type.Object({ type: Type.Literal('custom'), custom: Type.Object({ name: Type.String() }, closed) }, closed),
);

export const allowedToolsCheck = Compile(
  Type.Object(
    {
      type: Type.Literal('allowed_tools'),
      allowed_tools: Type.Object(
        {
          mode: Type.Unsafe<'auto' | 'required'>({ type: 'string', enum: ['auto', 'required'] }),
          tools: Type.Array(schemaObject, { minItems: 1 }),
        },
        closed,
      ),
    },
    closed,
  ),
);

export const plainFormatCheck = Compile(Type.Object({ type: Type.String() }, closed));

export const schemaFormatCheck = Compile(
  Type.Object(
    {
      type: Type.String(),
      json_schema: Type.Object(
        {
          name: toolName,
          description: Type.Optional(Type.String()),
          schema: Type.Optional(schemaObject),
          strict: optionalBoolean,
        },
        closed,
      ),
    },
    closed,
  ),
);
