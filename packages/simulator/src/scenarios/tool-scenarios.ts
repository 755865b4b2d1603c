// Answers that call tools, in the orders and with the deviations of real hosts.
import type { CallFacts } from './ask.ts';
import { callPieces, interleave, plannedCall, say } from './pieces.ts';
import type { Scenario } from './scenario.ts';
import type { CallManner, Piece, Script, ScriptFinish } from './script.ts';

/** Integers beyond double precision, odd spacing, unsorted keys: all of it must arrive unchanged. */
export const LARGE_INTEGER_ARGUMENTS =
  '{ "z_id" :12345678901234567890,"precise": 9007199254740993,  "a":[1e3, -0.0,1.50],"text":"\\u00e9\\/" }';

function calls(ask: CallFacts, count: number): readonly (readonly Piece[])[] {
  return Array.from({ length: count }, (_, call) => callPieces(ask, call, plannedCall(ask, call)));
}

function calling(
  count: number,
  options: { calls?: CallManner; finish?: ScriptFinish } = {},
): (ask: CallFacts) => Script {
  return (ask) => ({
    pieces: calls(ask, count).flat(),
    finish: options.finish ?? 'tool-calls',
    ...(options.calls === undefined ? {} : { manner: { calls: options.calls } }),
  });
}

function callWith(argumentsText: string): (ask: CallFacts) => Script {
  return (ask) => ({
    pieces: callPieces(ask, 0, { name: plannedCall(ask, 0).name, argumentsText }),
    finish: 'tool-calls',
  });
}

export const toolScenarios = {
  'tool-single': { about: 'One call. Default when the tool choice demands a call.', script: calling(1) },
  'tool-no-arguments': { about: 'One call with `{}`.', script: callWith('{}') },
  'tool-empty-arguments': { about: 'One call whose arguments are the empty string.', script: callWith('') },
  'tools-parallel': { about: 'Three calls, one after the other.', script: calling(3) },
  'tools-parallel-interleaved': {
    about: 'Three calls, their fragments in the order 0,1,2,0,1,2.',
    script: (ask) => ({ pieces: interleave(calls(ask, 3)), finish: 'tool-calls' }),
  },
  'tools-with-text': {
    about: 'Text, then two calls.',
    script: (ask) => ({ pieces: [...say('Let me look that up.'), ...calls(ask, 2).flat()], finish: 'tool-calls' }),
  },
  'tools-finish-stop': { about: 'A call, yet the finish says stop.', script: calling(1, { finish: 'stop' }) },
  'function-call-finish': {
    about: 'A call with the finish reason of the old functions interface.',
    script: calling(1, { finish: 'function-call' }),
  },
  'tool-large-integers': {
    about: 'Arguments that do not survive parsing and printing.',
    script: callWith(LARGE_INTEGER_ARGUMENTS),
  },
  'length-mid-arguments': {
    about: 'The output limit cuts the arguments.',
    script: (ask) => ({ pieces: calls(ask, 1).flat().slice(0, -1), finish: 'length' }),
  },
  'tools-index-missing': {
    about: 'Two whole calls, each in one chunk, without an index.',
    script: calling(2, { calls: 'index-missing' }),
  },
  'tools-index-zero': { about: 'Two calls that both claim index 0.', script: calling(2, { calls: 'index-zero' }) },
  'tool-late-name': { about: 'The name comes after the id.', script: calling(1, { calls: 'late-name' }) },
  'tools-same-id': {
    about: 'Two calls with one id.',
    script: (ask) => ({
      pieces: calls(ask, 2)
        .flat()
        .map((piece) => (piece.kind === 'call-start' ? { ...piece, id: 'call_sim_same' } : piece)),
      finish: 'tool-calls',
    }),
  },
  'tool-id-repeated': { about: 'Id and name on every fragment.', script: calling(1, { calls: 'id-repeated' }) },
} as const satisfies Readonly<Record<string, Scenario>>;
