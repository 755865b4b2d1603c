/**
 * Tools that a target does not support are dropped and reported: agents declare more tools than any one host supports,
 * and the call continues with the others. Only a tool choice that leaves no tool is refused. Free-form tools are not
 * dropped: functions stand for them.
 */
import type { TextCall, Tool, ToolChoice } from '../canonical/call.ts';
import type { FieldLoss } from '../canonical/fields.ts';
import { cannotCarry } from '../canonical/gateway-error.ts';
import { asFunction, callsAsFunctions, hasFreeFormCalls, hasGrammar } from './free-form.ts';

export type ToolOffer = {
  readonly takes: (tool: Tool) => boolean;
  readonly webSearch: boolean;
};

export type OfferedCall = { readonly call: TextCall; readonly losses: readonly FieldLoss[] };

const SEARCH = 'web_search';

/** Must the model search the web? Most formats can force a function, but not a search. */
export const forcesSearch = ({ webSearch, toolChoice, tools }: TextCall): boolean =>
  webSearch !== undefined &&
  toolChoice?.mode === 'one' &&
  toolChoice.name === SEARCH &&
  !tools.some(({ name }) => name === SEARCH);

const FREE_FORM: Tool = { kind: 'custom', name: '' };
const GRAMMAR_LOSS: FieldLoss = { field: 'tool.custom', why: 'approximated' };

export function withOfferedTools(given: TextCall, offer: ToolOffer): OfferedCall {
  const freeForm = offer.takes(FREE_FORM) ? [] : given.tools.filter((tool) => tool.kind === 'custom');
  const call = offer.takes(FREE_FORM) ? given : withFunctionsOnly(given, freeForm.length > 0);
  const known = withKnownTools(call, offer);
  return freeForm.some(hasGrammar) ? { call: known.call, losses: [GRAMMAR_LOSS, ...known.losses] } : known;
}

/** The same call if it has nothing of free form. */
function withFunctionsOnly(call: TextCall, hasTools: boolean): TextCall {
  const hasCalls = hasFreeFormCalls(call);
  if (!hasTools && !hasCalls) return call;
  return {
    ...call,
    tools: hasTools ? call.tools.map((tool) => (tool.kind === 'custom' ? asFunction(tool) : tool)) : call.tools,
    turns: hasCalls ? callsAsFunctions(call.turns) : call.turns,
  };
}

function withKnownTools(call: TextCall, offer: ToolOffer): OfferedCall {
  const leftOut = call.tools.filter((tool) => !offer.takes(tool));
  const losesSearch = call.webSearch?.amongTools === true && !offer.webSearch;
  if (leftOut.length === 0 && !losesSearch) return { call, losses: [] };
  if (losesSearch && forcesSearch(call))
    throw cannotCarry('tool-choice.one', 'asks for a web search, which is not offered for this model');
  const { webSearch, toolChoice, ...rest } = call;
  const tools = call.tools.filter(offer.takes);
  const search = losesSearch ? undefined : webSearch;
  const choice = choiceAmong(toolChoice, leftOut, tools.length > 0 || search !== undefined);
  const fields = new Set<FieldLoss['field']>(leftOut.map(({ kind }) => `tool.${kind}` as const));
  if (losesSearch) fields.add('call.webSearch');
  return {
    call: {
      ...rest,
      tools,
      ...(search !== undefined && { webSearch: search }),
      ...(choice !== undefined && { toolChoice: choice }),
    },
    losses: [...fields].map((field) => ({ field, why: 'no-equivalent' })),
  };
}

function choiceAmong(
  choice: ToolChoice | undefined,
  leftOut: readonly Tool[],
  hasTools: boolean,
): ToolChoice | undefined {
  const isLeftOut = (name: string): boolean => leftOut.some((tool) => tool.name === name);
  switch (choice?.mode) {
    case 'one':
      if (isLeftOut(choice.name))
        throw cannotCarry('tool-choice.one', `names a tool that is not offered for this model: ${choice.name}`);
      return choice;
    case 'some': {
      const names = choice.names.filter((name) => !isLeftOut(name));
      if (names.length === 0 && choice.required)
        throw cannotCarry('tool-choice.some', 'names only tools that are not offered for this model');
      return names.length === 0 ? { mode: 'none' } : { ...choice, names };
    }
    case 'any':
      if (!hasTools)
        throw cannotCarry('tool-choice.any', 'asks for a tool, and none of them is offered for this model');
      return choice;
    default:
      return hasTools ? choice : undefined;
  }
}
