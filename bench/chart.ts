// The comparison as one SVG: CPU per plain call and per stream, each contender a bar, on a logarithmic scale because the
// most expensive one costs a thousand times the cheapest. Colours and fonts follow the reader's theme.
import type { Result } from './report.ts';

const NAMES: Readonly<Record<string, string>> = {
  nginx: 'nginx (plain proxy)',
  envoy: 'Envoy (plain proxy)',
  bare: 'Node, bare proxy',
  trivium: 'Trivium',
  'trivium-money': 'Trivium, money and limits on',
  'trivium-observed': 'Trivium, with tags and traces too',
  'trivium-groups': 'Trivium, with group budgets too',
  'messages-to-chat': 'Trivium, Messages → Chat',
  'genai-to-messages': 'Trivium, Gemini → Messages',
  portkey: 'Portkey',
  litellm: 'LiteLLM',
};

const LABEL_WIDTH = 230;
const BAR_WIDTH = 380;
const ROW = 30;
const HEAD = 58;
const WIDTH = LABEL_WIDTH + BAR_WIDTH + 110;

interface Bar {
  readonly name: string;
  readonly us: number;
}

const figure = (us: number): string =>
  us >= 1_000 ? `${(us / 1_000).toPrecision(3)} ms` : `${us >= 100 ? us.toFixed(0) : us.toPrecision(2)} µs`;

function panel(title: string, bars: readonly Bar[], top: number): string {
  const least = Math.min(...bars.map(({ us }) => us)) / 2;
  const most = Math.max(...bars.map(({ us }) => us));
  const width = (us: number): number => Math.max(2, (Math.log(us / least) / Math.log(most / least)) * BAR_WIDTH);
  const rows = bars.map(({ name, us }, index) => {
    const y = top + HEAD + index * ROW;
    const kind = name.startsWith('trivium') || name.includes('-to-') ? 'ours' : 'other';
    return [
      `<text x="${LABEL_WIDTH - 12}" y="${y + 14}" class="label" text-anchor="end">${NAMES[name] ?? name}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${width(us).toFixed(1)}" height="20" rx="3" class="${kind}"/>`,
      `<text x="${(LABEL_WIDTH + width(us) + 8).toFixed(1)}" y="${y + 14}" class="figure">${figure(us)}</text>`,
    ].join('\n');
  });
  return [`<text x="0" y="${top + 34}" class="title">${title}</text>`, ...rows].join('\n');
}

/** Cheapest first. */
const barsOf = (result: Result, key: 'jsonCpuUs' | 'streamCpuUs'): readonly Bar[] =>
  Object.entries(result.contenders)
    .flatMap(([name, of]) => (of[key] === undefined ? [] : [{ name, us: of[key].median }]))
    .toSorted((left, right) => left.us - right.us);

export function renderChart(result: Result): string {
  const plain = barsOf(result, 'jsonCpuUs');
  const streams = barsOf(result, 'streamCpuUs');
  const second = HEAD + plain.length * ROW + 20;
  const height = second + HEAD + streams.length * ROW + 34;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="CPU time per request of Trivium and its peers">
<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 16px; font-weight: 600 }
  .figure { font-variant-numeric: tabular-nums }
  .note { font-size: 12px; fill: #57606a }
  .ours { fill: #0b7a75 }
  .other { fill: #a3adb8 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note { fill: #9198a1 }
    .ours { fill: #2bb3ab }
    .other { fill: #59636e }
  }
</style>
${panel('CPU time per plain call', plain, 0)}
${panel('CPU time per stream of 200 chunks', streams, second)}
<text x="0" y="${height - 8}" class="note">Less is better; logarithmic scale. One core, one run, interleaved; Node ${result.node}.</text>
</svg>
`;
}
