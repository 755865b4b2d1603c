/** Which tool must be called, as chat completions and Responses say it: words in common, objects each of its own form. */
import type { ToolChoice } from '../canonical/call.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import { isGiven, malformed } from './checking.ts';

export type ChoiceWord = 'none' | 'auto' | 'required';

/** The word, or what `checkObject` makes of an object; undefined where nothing was chosen. */
export function checkToolChoice<Checked>(
  choice: unknown,
  toolCount: number,
  checkObject: (choice: object) => Checked,
): ChoiceWord | Checked | undefined {
  if (!isGiven(choice)) return undefined;
  if (choice === 'none' || choice === 'auto') return choice;
  if (choice === 'required') {
    if (toolCount === 0) throw malformed('tool_choice', 'cannot be required without tools');
    return choice;
  }
  if (typeof choice !== 'object' || choice === null || Array.isArray(choice))
    throw malformed('tool_choice', 'must be one of none, auto, required, or an object');
  return checkObject(choice);
}

export type ChoiceForms = {
  /** Names one tool. */
  readonly reference: (name: string) => JsonObject;
  /** Any of several. */
  readonly allowed: (mode: 'auto' | 'required', tools: readonly JsonObject[]) => JsonObject;
};

export function encodeToolChoice(choice: ToolChoice, { reference, allowed }: ChoiceForms): Json {
  switch (choice.mode) {
    case 'auto':
    case 'none':
      return choice.mode;
    case 'any':
      return 'required';
    case 'validated':
      return 'auto';
    case 'one':
      return reference(choice.name);
    case 'some':
      return allowed(choice.required ? 'required' : 'auto', choice.names.map(reference));
  }
}
