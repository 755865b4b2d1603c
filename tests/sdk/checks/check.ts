/**
 * What an official SDK must be able to do with a deployment, as data: the tests run every check against a stand, and
 * `npm run conformance:sdk` against any gateway. A check that does not hold throws with the reason.
 */
import assert from 'node:assert/strict';

/** In the order of the printed table. */
export const CHECK_NAMES = [
  'plain',
  'stream',
  'tools',
  'tools streamed',
  'thinking',
  'structured',
  'chats',
  'error before',
  'error during',
  'abort',
  'list',
  'count',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export type Deployment = {
  /** Of the gateway, without a path. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** The models are the simulator's: answers and failures can be requested. */
  readonly simulated: boolean;
};

/** Returns false where this check does not apply. */
export type Check = (at: Deployment) => Promise<unknown>;
export type Judge = { readonly sdk: string; readonly checks: Readonly<Partial<Record<CheckName, Check>>> };

export const QUESTION = 'Where do three roads meet? Answer in one short sentence.';
export const TASK = 'What is the weather in Rome, in degrees? Use the tool.';
export const RESULT = '21 degrees';
export const MAX_TOKENS = 4096;
export const BUDGET_TOKENS = 2048;
export const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

/** The question contains the simulator's instruction. */
export const saying = ({ simulated }: Deployment, question: string, instruction: string): string =>
  simulated && instruction !== '' ? `${question} @simulate ${instruction}` : question;

/** Pieces come slowly enough to stop in the middle, and fail after some of them. */
export const FAILING = 'scenario=text-long words=40 tps=30 fault=error-frame-mid after=5';
export const LONG = 'scenario=text-long words=4000 tps=300';
export const LONG_QUESTION = 'Count from 1 to 500 in words, separated by commas.';

export const says = (text: unknown, what = 'the answer'): void =>
  assert.match(String(text ?? ''), /\S/, `${what} is empty`);

export const counts = (...tokens: unknown[]): void => {
  for (const count of tokens) assert.ok(Number.isInteger(count) && Number(count) > 0, `usage says ${String(count)}`);
};

export const isCity = (value: unknown): void =>
  assert.equal(typeof (value as { city?: unknown } | null)?.city, 'string', `no city in ${JSON.stringify(value)}`);

/** The error of a call that has to fail; `holds` says whether it is the SDK's own. */
export async function fails(call: () => PromiseLike<unknown>, holds: (error: Error) => boolean): Promise<Error> {
  let ended: unknown;
  try {
    ended = await call();
  } catch (error) {
    assert.ok(error instanceof Error && holds(error), `the wrong error: ${String(error)}`);
    return error;
  }
  throw new Error(`it did not fail: ${JSON.stringify(ended)?.slice(0, 200)}`);
}

export const statusOf = (error: Error): unknown => {
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown };
  return status ?? statusCode;
};

export async function drain<Item>(stream: AsyncIterable<Item>, each: (item: Item) => void): Promise<void> {
  for await (const item of stream) each(item);
}
