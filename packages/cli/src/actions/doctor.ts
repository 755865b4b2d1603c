// What `trivium doctor` does: checks everything a gateway needs, and prints for each item its state and what to do.

import { describeConfigProblem, diagnose, type Finding } from '@trivium/gateway';
import { configFile } from '../config-option.ts';
import { printFindings } from '../findings.ts';
import { readConfigWithSecrets } from '../read-config.ts';
import type { Terminal } from '../terminal.ts';

export interface DoctorOptions {
  readonly config?: string;
  readonly offline?: true;
  readonly json?: true;
}

/** Providers are checked separately. */
const OF_ONE_PROVIDER = /^providers\.[^.]+$/;

/** `bin/trivium.js` refuses older versions before this runs. */
const nodeFinding = (): Finding => ({ check: 'Node.js', detail: `v${process.versions.node}`, status: 'ok' });

async function findings({ config: named, offline }: DoctorOptions, terminal: Terminal): Promise<readonly Finding[]> {
  const check = 'Configuration';
  let file: string;
  try {
    file = configFile(named, terminal.env);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [nodeFinding(), { check, status: 'fail', detail, next: 'run trivium init' }];
  }
  const { outcome, secrets } = await readConfigWithSecrets(file, terminal.env);
  await secrets?.close();
  if ('problems' in outcome) {
    const problems = outcome.problems.map(
      (problem): Finding => ({
        check,
        status: 'fail',
        detail: describeConfigProblem(problem),
        next: 'correct it; trivium config check shows all at once',
      }),
    );
    return [nodeFinding(), ...problems];
  }
  const notices = outcome.notices
    .filter(({ path }) => !OF_ONE_PROVIDER.test(path))
    .map((notice): Finding => ({ check, status: 'warn', detail: describeConfigProblem(notice) }));
  const good: Finding = { check, status: 'ok', detail: `${file} is valid` };
  return [nodeFinding(), good, ...notices, ...(await diagnose(outcome.config, offline === true))];
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<void> {
  const found = await findings(options, terminal);
  const of = (status: Finding['status']): number => found.filter((finding) => finding.status === status).length;
  if (of('fail') > 0) terminal.setExitCode(1);
  if (options.json) {
    terminal.print(JSON.stringify({ ok: of('fail') === 0, findings: found }, null, 2));
    return;
  }
  printFindings(found, terminal);
  terminal.print(`\n${of('ok')} ok, ${counted(of('warn'), 'warning')}, ${counted(of('fail'), 'failure')}`);
}
