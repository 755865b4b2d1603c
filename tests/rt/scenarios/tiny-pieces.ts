/** S2: upstream answers and events that arrive byte by byte cost memory and CPU time in proportion to their size. */
import { ask, chatQuestion } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { rounded } from '../parts/load.ts';
import { peakBytes, processorSeconds } from '../parts/process-facts.ts';
import { type Cut, type Manner, openTinyUpstream } from '../parts/tiny-upstream.ts';
import { atMost, type Check, exactly, type Figure, scenario } from '../scenario.ts';

/** `judgesTime`: check CPU time; only on an idle machine. */
type Parameters = { readonly megabytes: number; readonly manners: readonly Manner[]; readonly judgesTime: boolean };

const MODEL = 'rt/tiny';
const MB = 1024 * 1024;
const LIMIT_MS = 600_000;
/** Extra memory compared with one piece, in bytes per byte of the answer. */
const TIMES_THE_BYTES = 3;
const PART = 4;
/** CPU time ratio of four times the bytes: linear is 4, quadratic 16. */
const TIMES_THE_TIME = 8;
const WARM_UPS = 4;
const CUTS: readonly Cut[] = ['one piece', 'one byte'];

export const tinyPieces = scenario<Parameters>({
  name: 'tiny-pieces',
  shows:
    'upstream answers and events in chunks of one byte take three times their bytes more than in one piece at most',
  short: { megabytes: 8, manners: ['whole', 'event'], judgesTime: false },
  full: { megabytes: 30, manners: ['whole', 'event', 'events'], judgesTime: true },
  run: async ({ megabytes, manners, judgesTime }, stage) => {
    const upstream = await openTinyUpstream();
    stage.atEnd(() => upstream.close());
    const bytes = megabytes * MB;
    const figures: Record<string, Figure> = { megabytes };
    const checks: Check[] = [];
    let [whole, played] = [0, 0];
    const play = async (gateway: GatewayProcess, manner: Manner, length: number, cut: Cut): Promise<number> => {
      upstream.say(manner, length, cut);
      const before = processorSeconds(gateway.child.pid);
      const question = chatQuestion(gateway.url, MODEL, 'Hello', { stream: manner !== 'whole' });
      const { status, complete, text, failure } = await ask({ ...question, limitMs: LIMIT_MS });
      const letters = text.match(/x+/g)?.reduce((sum, run) => sum + run.length, 0) ?? 0;
      played++;
      if (status === 200 && complete && letters >= (manner === 'events' ? 1 : length)) whole++;
      else
        stage.say(
          `${manner} of ${length} bytes, ${cut}: status ${status}, ${letters} letters, ${failure ?? text.slice(-300)}`,
        );
      return processorSeconds(gateway.child.pid) - before;
    };
    // One process each, since used memory is not returned at once.
    const measured = async (manner: Manner, cut: Cut) => {
      const gateway = await stage.gateway(configFor(upstream.url), { name: `${manner}-${cut.replace(' ', '-')}` });
      for (let round = 0; round < WARM_UPS; round++)
        for (const either of CUTS) await play(gateway, manner, MB / WARM_UPS, either);
      const quarterSeconds = judgesTime ? await play(gateway, manner, bytes / PART, cut) : 0;
      const seconds = await play(gateway, manner, bytes, cut);
      const peak = peakBytes(gateway.child.pid);
      await gateway.child.kill();
      return { peak, seconds, quarterSeconds };
    };
    for (const manner of manners) {
      const one = await measured(manner, 'one piece');
      const tiny = await measured(manner, 'one byte');
      const times = rounded((tiny.peak - one.peak) / bytes, 2);
      figures[manner] = {
        peakInOnePieceMb: rounded(one.peak / MB, 1),
        peakInBytesMb: rounded(tiny.peak / MB, 1),
        timesTheBytes: times,
        secondsInOnePiece: rounded(one.seconds, 2),
        secondsInBytes: rounded(tiny.seconds, 2),
      };
      checks.push(atMost(`${manner}: bytes of memory more for each byte`, times, TIMES_THE_BYTES));
      const growth = rounded(tiny.seconds / tiny.quarterSeconds, 1);
      if (judgesTime) checks.push(atMost(`${manner}: times the processor time of a quarter`, growth, TIMES_THE_TIME));
    }
    checks.push(exactly('whole answers', whole, played));
    return { figures, checks };
  },
});

const configFor = (baseUrl: string): Record<string, unknown> => ({
  providers: { tiny: { dialect: 'openai-chat', baseUrl } },
  // The maximum answer length: it must not be ended for its length.
  models: [
    {
      id: MODEL,
      contextLength: 100_000_000,
      maxOutputTokens: 100_000_000,
      endpoints: [{ provider: 'tiny', upstreamModel: 'any' }],
    },
  ],
  limits: { answerBytes: 64 * MB, eventBytes: 64 * MB },
  // A loop turn that reads 30 MB is long, and the one caller here must not be refused for overload.
  overload: { lagMs: 0 },
});
