/** One agent, one destination: a conversation in several starts, judged by the files it leaves, by what it prints and by what reaches the hosts. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Simulator } from '@trivium/simulator';
import type { RunAs } from '../../packages/cli/src/embedded/unprivileged.ts';
import { AFTER, AGENTS, type AgentName, BEFORE, type Desk, type How, type Launch, RUN_COMMAND } from './agents.ts';
import { runProgram } from './program.ts';
import { ANSWERS, type Call, can, LONG_ANSWER, LONG_PROMPT, LONG_WORDS, taskPrompt } from './script.ts';

export type Play = {
  readonly agent: AgentName;
  readonly bin: string;
  readonly path: string;
  readonly gatewayUrl: string;
  readonly key: string;
  readonly model: string;
  /** A model of another maker. */
  readonly other: string;
  /** The model reads no pictures: the other one has to. */
  readonly isBlind: boolean;
  readonly simulator: Simulator;
  readonly as: RunAs;
};

export type Verdict = { readonly problems: readonly string[]; readonly output: string };

const SHOWN_OUTPUT = 6000;
const NOTES = `# Notes\n${BEFORE}\nend\n`;
/** Makes a conversation long enough to be compacted. */
const LONG_FILE = 'Where three roads meet there is a bridge, and an inn.\n'.repeat(500);
/** Agents without tools take whole files from the answer. */
const WHOLE_FILE = `notes.txt\n\`\`\`\n${NOTES.replace(BEFORE, AFTER)}\`\`\`\n`;
/** Said in the first legs, and gone once the conversation was compacted. */
const SAID = 'I look at both files at once.';
/** Eight by eight black pixels: some programs refuse smaller ones. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAADElEQVR4nGNgoA4AAABIAAEuuDx+AAAAAElFTkSuQmCC';
const FRESH: How = { resume: false, compact: false };
const RESUMED: How = { resume: true, compact: false };

export async function playAgent(play: Play): Promise<Verdict> {
  const home = mkdtempSync(join(tmpdir(), `trivium-${play.agent}-`));
  try {
    return await new Conversation(play, home).play();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

class Conversation {
  readonly #play: Play;
  readonly #home: string;
  readonly #folder: string;
  readonly #problems: string[] = [];
  #output = '';

  constructor(play: Play, home: string) {
    this.#play = play;
    this.#home = home;
    this.#folder = join(home, 'work');
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, 'notes.txt'), NOTES);
    writeFileSync(join(this.#folder, 'long.txt'), LONG_FILE);
    writeFileSync(join(this.#folder, 'picture.png'), Buffer.from(PICTURE, 'base64'));
  }

  async play(): Promise<Verdict> {
    const { agent, model, other } = this.#play;
    await this.#first();
    if (this.#problems.length === 0) await this.#other();
    if (this.#problems.length === 0) await this.#interrupted();
    const { compactPrompt } = AGENTS[agent];
    if (this.#problems.length === 0 && can(agent, 'compaction') && compactPrompt !== undefined)
      await this.#start('compaction', model, compactPrompt, RESUMED);
    if (this.#problems.length === 0) await this.#last();
    if (this.#problems.length === 0) this.#judgeHosts(other);
    return { problems: this.#problems, output: this.#output.slice(-SHOWN_OUTPUT) };
  }

  get #talks() {
    return this.#play.simulator.truth.read();
  }

  /** Text, two calls at once, an edit, a search and a command. */
  async #first(): Promise<void> {
    const { agent, model, isBlind } = this.#play;
    const acts = AGENTS[agent].acts?.(this.#folder, model);
    const turns: (readonly Call[])[] = [];
    if (acts !== undefined) {
      turns.push([acts.read, acts.look === undefined || isBlind ? acts.run('ls') : acts.look], [acts.edit]);
      if (acts.find !== undefined) turns.push([acts.find]);
      turns.push([acts.run(RUN_COMMAND)]);
    }
    const answer = acts === undefined ? `${ANSWERS.first}\n\n${WHOLE_FILE}` : ANSWERS.first;
    const task = 'Set the status in notes.txt to final, then count its lines.';
    await this.#start('first', model, taskPrompt(task, turns, answer, SAID), FRESH, ANSWERS.first);
    const notes = readFileSync(join(this.#folder, 'notes.txt'), 'utf8');
    if (!notes.includes(AFTER) || notes.includes(BEFORE)) this.#problems.push('the file was not edited');
    if (!existsSync(join(this.#folder, 'count.txt'))) this.#problems.push('the command was not run');
    if (acts !== undefined && !this.#output.includes(SAID) && !this.#isSent(SAID))
      this.#problems.push('the text beside the calls was lost');
  }

  /** Another maker's model reads what the first one did; its own calls follow. */
  async #other(): Promise<void> {
    const { agent, other, isBlind } = this.#play;
    const acts = AGENTS[agent].acts?.(this.#folder, other);
    writeFileSync(join(this.#folder, 'notes.txt'), NOTES);
    const turns: (readonly Call[])[] = acts === undefined ? [] : [[acts.read], [acts.edit]];
    if (acts?.look !== undefined && isBlind) turns.push([acts.look]);
    await this.#start(
      'other model',
      other,
      taskPrompt('Once more.', turns, ANSWERS.other, SAID),
      RESUMED,
      ANSWERS.other,
    );
  }

  /** Back at the first model: cut in the middle of a long answer. */
  async #interrupted(): Promise<void> {
    const before = this.#talks.length;
    const isTalking = (): boolean =>
      this.#talks.slice(before).some(({ framesSent, tokensProduced }) => framesSent > 0 && tokensProduced > 5);
    this.#play.simulator.arm(LONG_ANSWER, { times: 1 });
    await this.#start('interrupt', this.#play.model, LONG_PROMPT, RESUMED, undefined, isTalking);
    const cut = this.#talks.slice(before).filter(({ outcome }) => outcome === 'aborted');
    if (!cut.some(({ tokensProduced }) => tokensProduced < LONG_WORDS))
      this.#problems.push('the interrupt did not reach the host');
  }

  async #last(): Promise<void> {
    const { agent, model } = this.#play;
    const acts = AGENTS[agent].acts?.(this.#folder, model);
    const turns = acts === undefined ? [] : [[acts.run('echo done > resumed.txt')]];
    const compact = can(agent, 'compaction');
    await this.#start(
      'resume',
      model,
      taskPrompt('Go on.', turns, ANSWERS.last, undefined),
      { resume: true, compact },
      ANSWERS.last,
    );
    if (acts !== undefined && !existsSync(join(this.#folder, 'resumed.txt')))
      this.#problems.push('the resumed conversation ran no command');
    const last = this.#talks.findLast(({ bodyText }) => bodyText.includes(encodeURIComponent(ANSWERS.last)));
    if (compact && last?.bodyText.includes(SAID) === true) this.#problems.push('the conversation was not compacted');
  }

  #judgeHosts(other: string): void {
    const { agent } = this.#play;
    if (can(agent, 'picture') && !this.#isSent(PICTURE.slice(0, 60))) this.#problems.push('no host got the picture');
    if (can(agent, 'search') && !this.#isSent('WebFetch')) this.#problems.push('no tool was found');
    const nameOf = (model: string): string => model.slice(model.indexOf('/') + 1).replaceAll('.', '-');
    // A request that was given up may have no body.
    const asked = this.#talks.map(({ body }) =>
      nameOf(String((body as { readonly model?: unknown } | undefined)?.model)),
    );
    if (!asked.includes(nameOf(other))) this.#problems.push(`${other} was never asked`);
  }

  #isSent(text: string): boolean {
    return this.#talks.some(({ bodyText }) => bodyText.includes(text));
  }

  async #start(
    leg: string,
    model: string,
    prompt: string,
    how: How,
    answer?: string,
    interruptWhen?: () => boolean,
  ): Promise<void> {
    const { agent, gatewayUrl, key } = this.#play;
    const readsPictures = !(this.#play.isBlind && model === this.#play.model);
    const desk = { gatewayUrl, key, model, readsPictures, home: this.#home, folder: this.#folder };
    const launch = AGENTS[agent].launch(desk, prompt, how);
    const { code, output } = await startAgent(this.#play, desk, launch, interruptWhen);
    this.#output += `--- ${leg}\n${output}`;
    if (interruptWhen === undefined && code !== 0) this.#problems.push(`${leg}: exit code ${code}`);
    if (answer !== undefined && !output.includes(answer)) this.#problems.push(`${leg}: the answer was not printed`);
  }
}

/** Starts it in its home folder, which becomes its own. */
export async function startAgent(
  { bin, path, as }: Pick<Play, 'bin' | 'path' | 'as'>,
  { home, folder }: Pick<Desk, 'home' | 'folder'>,
  { args, env }: Launch,
  interruptWhen?: () => boolean,
): Promise<{ code: number | null; output: string }> {
  giveAway(home, as);
  const given = { PATH: path, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', ...env };
  return await runProgram(bin, args, { cwd: folder, env: given, ...as }, interruptWhen);
}

function giveAway(folder: string, as: RunAs): void {
  chmodSync(folder, 0o755);
  if (as !== undefined) spawnSync('chown', ['-R', `${as.uid}:${as.gid}`, folder]);
}
