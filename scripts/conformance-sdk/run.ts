/**
 * `npm run conformance:sdk -- --url … --key …`: the official SDKs against any deployment, as a table of what each can do
 * there. Exit status 1 when a check failed, 2 when it was called wrongly. It spends a little on real models.
 */
import { parseArgs } from 'node:util';
import { CHECK_NAMES, type CheckName, type Deployment } from '../../tests/sdk/checks/check.ts';
import { NEWEST, OLDER } from '../../tests/sdk/checks/judges.ts';
import { pythonVerdicts } from './python.ts';
import { type Verdict, writeTable } from './table.ts';

const CHECK_DEADLINE_MS = 120_000;
const USAGE = `npm run conformance:sdk -- --url http://127.0.0.1:8080 --key sk-… [options]

  --models a,b      which models to ask (default: the first one listed)
  --sdks a,b        only SDKs whose name begins so, e.g. openai,python
  --checks a,b      only these checks: ${CHECK_NAMES.join(', ')}
  --older           older generations of the SDKs as well
  --simulated       the models are the simulator's: failures in the middle of a stream are tried, too`;

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    models: { type: 'string' },
    sdks: { type: 'string' },
    checks: { type: 'string' },
    older: { type: 'boolean', default: false },
    simulated: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help || values.url === undefined || values.key === undefined) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const url = values.url.replace(/\/+$/, '');
const key = values.key;
const wanted = (given: string | undefined, name: string): boolean =>
  given === undefined || given.split(',').some((start) => name.startsWith(start.trim()));
const names = CHECK_NAMES.filter((name) => wanted(values.checks, name));

async function firstModel(): Promise<string> {
  const response = await fetch(`${url}/api/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await response.json()) as { data: { id: string }[] };
  const [first] = data;
  if (first === undefined) throw new Error('no model is listed');
  return first.id;
}

async function judged(sdk: string, check: CheckName, run: () => Promise<unknown>): Promise<Verdict> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${CHECK_DEADLINE_MS / 1000} s`)), CHECK_DEADLINE_MS);
  });
  try {
    return { sdk, check, result: (await Promise.race([run(), late])) === false ? 'left out' : 'passed' };
  } catch (error) {
    return { sdk, check, result: 'failed', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function verdictsOf(at: Deployment): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const judges = [...NEWEST, ...(values.older ? OLDER : [])].filter(({ sdk }) => wanted(values.sdks, sdk));
  for (const { sdk, checks } of judges)
    for (const name of names) {
      const check = checks[name];
      if (check !== undefined) verdicts.push(await judged(sdk, name, () => check(at)));
    }
  if (wanted(values.sdks, 'python')) verdicts.push(...(await pythonVerdicts(at, names)));
  return verdicts;
}

let failed = 0;
let total = 0;
for (const model of values.models?.split(',') ?? [await firstModel()]) {
  const verdicts = await verdictsOf({ url, key, model: model.trim(), simulated: values.simulated });
  console.log(`\n${model}\n${writeTable(verdicts)}`);
  failed += verdicts.filter(({ result }) => result === 'failed').length;
  total += verdicts.length;
}
console.log(`\nchecks ${total}, failed ${failed}`);
process.exitCode = failed > 0 || total === 0 ? 1 : 0;
