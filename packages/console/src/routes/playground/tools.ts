/** Tools as people write them here: a name, what it is for, and a JSON schema of its arguments. */
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

const isTool = (value: unknown): value is ToolSpec =>
  typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string';

/** Undefined: not a list of tools. */
export function parseTools(text: string): readonly ToolSpec[] | undefined {
  if (text.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isTool) ? value : undefined;
  } catch {
    return undefined;
  }
}
