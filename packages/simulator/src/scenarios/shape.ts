// Applies the request's settings to a scenario's script: at most one call, stop sequences, the token limit, the bill.
import type { CallFacts } from './ask.ts';
import type { Piece, Script, ShapedScript, TokenUsage } from './script.ts';

export function shapeScript(script: Script, ask: CallFacts): ShapedScript {
  const single = ask.parallelCalls
    ? script.pieces
    : script.pieces.filter((piece) => !('call' in piece) || piece.call === 0);
  const stopped = cutAtStop(single, ask.stop);
  const afterStop: Script = stopped === undefined ? script : { ...script, finish: 'stop' };
  const uncapped = stopped?.pieces ?? single;
  const isCapped = ask.maxTokens !== undefined && uncapped.length > ask.maxTokens;
  const pieces = isCapped ? uncapped.slice(0, ask.maxTokens) : uncapped;
  const isCut = pieces.length < script.pieces.length;
  return {
    ...afterStop,
    pieces,
    finish: isCapped ? 'length' : afterStop.finish,
    usage: isCut || script.usage === undefined ? countUsage(pieces, ask.promptTokens, script.usage) : script.usage,
    ...(stopped !== undefined && !isCapped ? { stopMatched: stopped.matched } : {}),
  };
}

export function isReasoning(piece: Piece): boolean {
  return piece.kind === 'reasoning' || piece.kind === 'sealed-reasoning';
}

export function countUsage(pieces: readonly Piece[], promptTokens: number, given?: TokenUsage): TokenUsage {
  return {
    prompt: given?.prompt ?? promptTokens,
    cached: given?.cached ?? 0,
    ...(given?.cacheWrite5m === undefined ? {} : { cacheWrite5m: given.cacheWrite5m }),
    ...(given?.cacheWrite1h === undefined ? {} : { cacheWrite1h: given.cacheWrite1h }),
    completion: pieces.length,
    reasoning: pieces.filter(isReasoning).length,
  };
}

/** A stop sequence may span pieces; the text before it stays, everything after it is never produced. */
function cutAtStop(pieces: readonly Piece[], stops: readonly string[]) {
  const whole = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
  let found: { readonly stop: string; readonly at: number } | undefined;
  for (const stop of stops) {
    const at = stop === '' ? -1 : whole.indexOf(stop);
    if (at >= 0 && at < (found?.at ?? Infinity)) found = { stop, at };
  }
  if (found === undefined) return undefined;
  const kept: Piece[] = [];
  let room = found.at;
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      if (piece.text.length >= room) {
        if (room > 0) kept.push({ ...piece, text: piece.text.slice(0, room) });
        break;
      }
      room -= piece.text.length;
    }
    kept.push(piece);
  }
  return { pieces: kept, matched: found.stop };
}
