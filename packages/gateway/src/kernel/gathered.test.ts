import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Gathered } from './gathered.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SETTINGS = { waitMs: 2, idleWaitMs: 100, mostInBatch: 3, mostUnderWay: 1 };

type Batch = { readonly questions: readonly number[]; readonly answer: (answers?: readonly string[] | Error) => void };

function gathered() {
  const batches: Batch[] = [];
  const asks = new Gathered<number, string>(
    (questions) =>
      new Promise((resolve, reject) => {
        batches.push({
          questions,
          answer: (answers = questions.map(String)) => (answers instanceof Error ? reject(answers) : resolve(answers)),
        });
      }),
    SETTINGS,
  );
  return { asks, sent: () => batches.map(({ questions }) => questions), batches };
}

test('questions of two milliseconds go together, and each gets its own answer', async () => {
  const { asks, sent, batches } = gathered();
  const answers = Promise.all([asks.ask(1), asks.ask(2)]);
  expect(sent()).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(sent()).toEqual([[1, 2]]);
  batches[0]!.answer();
  expect(await answers).toEqual(['1', '2']);
});

test('a question that nothing waits for waits for company, and goes with the next urgent one', async () => {
  const { asks, sent, batches } = gathered();
  const patient = asks.ask(1, false);
  vi.advanceTimersByTime(99);
  expect(sent()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent()).toEqual([[1]]);
  batches[0]!.answer();
  expect(await patient).toBe('1');
  void asks.ask(2, false);
  void asks.ask(3);
  await vi.advanceTimersByTimeAsync(2);
  expect(sent()).toEqual([[1], [2, 3]]);
});

test('a full batch is sent at once; those beyond the batches under way wait for one to be answered', async () => {
  const { asks, sent, batches } = gathered();
  const all = [1, 2, 3, 4].map((question) => asks.ask(question));
  expect(sent()).toEqual([[1, 2, 3]]);
  vi.advanceTimersByTime(50);
  expect(sent()).toEqual([[1, 2, 3]]);
  batches[0]!.answer();
  await Promise.all(all.slice(0, 3));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent()).toEqual([[1, 2, 3], [4]]);
});

test('a batch that fails, or is answered in part, fails for all of its questions', async () => {
  const { asks, batches } = gathered();
  const one = asks.ask(1);
  vi.advanceTimersByTime(2);
  batches[0]!.answer(new Error('away'));
  await expect(one).rejects.toThrow('away');
  const both = [asks.ask(2), asks.ask(3)];
  await vi.advanceTimersByTimeAsync(2);
  batches[1]!.answer(['2']);
  for (const each of both) await expect(each).rejects.toThrow('1 answers to 2 questions');
});
