/** Tools as people write them here: a name, what it is for, and a JSON schema of its arguments. */
import { parsed } from '../../format/json-lines.ts';
export type ToolSpec = {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
};

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      name: 'get_weather',
      description: 'Current weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
  null,
  2,
);

/** Undefined: not a list of tools. */
export function parseTools(text: string): readonly ToolSpec[] | undefined {
  if (text.trim() === '') return [];
  const value = parsed(text);
  const isList = Array.isArray(value) && value.every((tool) => typeof (tool as ToolSpec | null)?.name === 'string');
  return isList ? value : undefined;
}
