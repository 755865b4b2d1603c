// Before anything is measured: does the contender answer completely and correctly? A fast wrong answer is no answer.
import type { Measure, Target } from './contenders/contender.ts';
import { STREAM_CHUNKS } from './load.ts';

const ANSWER_LIMIT_MS = 120_000;
const SHOWN_CHARS = 400;

interface ChatWire {
  readonly choices?: readonly {
    readonly message?: { readonly content?: unknown };
    readonly delta?: { readonly content?: unknown };
    readonly finish_reason?: unknown;
  }[];
  readonly usage?: { readonly completion_tokens?: unknown } | null;
}

// Every field is optional and unknown, so this claims nothing that is not checked where it is read.
const readChat = (text: string): ChatWire => {
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
};

/** Says what is wrong with a plain answer, or nothing. */
export function faultOfAnswer(text: string): string | undefined {
  const answer = readChat(text);
  const content = answer.choices?.[0]?.message?.content;
  if (typeof content !== 'string' || content.length < 600) return 'it does not carry the content of the upstream';
  if (answer.choices?.[0]?.finish_reason !== 'stop') return 'its finish_reason is not "stop"';
  if (answer.usage?.completion_tokens !== 140) return 'it does not carry the usage of the upstream';
  return undefined;
}

/** Says what is wrong with a streamed answer, or nothing. */
export function faultOfStream(text: string): string | undefined {
  const data = text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim());
  if (data.at(-1) !== '[DONE]') return 'its last event is not [DONE]';
  const chunks = data.slice(0, -1).map(readChat);
  const stamped = chunks.filter((chunk) => /^T\d{19}$/.test(String(chunk.choices?.[0]?.delta?.content)));
  if (stamped.length !== STREAM_CHUNKS) return `it has ${stamped.length} content chunks, not ${STREAM_CHUNKS}`;
  if (chunks.filter((chunk) => chunk.choices?.[0]?.finish_reason === 'stop').length !== 1) {
    return 'it does not have exactly one finish_reason "stop"';
  }
  if (!chunks.some((chunk) => chunk.usage?.completion_tokens === 200))
    return 'it does not carry the usage of the upstream';
  return undefined;
}

const TOKENS: Readonly<Record<Measure, number>> = { json: 140, stream: STREAM_CHUNKS };

/** The same questions for answers in another format, asked of the text: its content, its usage and its end. */
export function faultOfTexts(
  beforeText: string,
  beforeTokens: string,
  end: string,
): Readonly<Record<Measure, (text: string) => string | undefined>> {
  const rest = (text: string, measure: Measure): string | undefined => {
    if (!text.includes(`${beforeTokens}${TOKENS[measure]}`)) return 'it does not carry the usage of the upstream';
    return text.includes(end) ? undefined : `it does not hold ${end}`;
  };
  return {
    json: (text) => {
      const from = text.indexOf(beforeText) + beforeText.length;
      return text.indexOf('"', from) - from < 600
        ? 'it does not carry the content of the upstream'
        : rest(text, 'json');
    },
    stream: (text) => {
      const chunks = text.match(/"T\d{19}"/g)?.length ?? 0;
      return chunks === STREAM_CHUNKS ? rest(text, 'stream') : `it has ${chunks} content chunks, not ${STREAM_CHUNKS}`;
    },
  };
}

async function ask(target: Target): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`http://127.0.0.1:${target.port}${target.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...target.headers },
    body: target.body,
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  return { status: response.status, text: await response.text() };
}

/** Asks once and gives back the length of the answer's body. */
export async function checkTarget(
  label: string,
  target: Target,
  faultOf: (text: string) => string | undefined,
): Promise<number> {
  const { status, text } = await ask(target).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new Error(`${label}: no complete answer: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  const shown = text.slice(0, SHOWN_CHARS);
  if (status !== 200) throw new Error(`${label}: status ${status}: ${shown}`);
  let fault: string | undefined;
  try {
    fault = faultOf(text);
  } catch {
    fault = 'it holds text that is not JSON';
  }
  if (fault !== undefined) throw new Error(`${label}: the answer is wrong, ${fault}: ${shown}`);
  return Buffer.byteLength(text);
}
